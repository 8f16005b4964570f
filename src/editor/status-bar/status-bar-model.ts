import { joinList, joinSentences, localize } from "../../core/base/localize.ts";
import { formatCounts } from "../runs/call-counts-model.ts";
import { formatSpending } from "../../core/call/spending.ts";
import { canLeaveMachine, type Mode } from "../../core/call/call.ts";
import { COMMANDS, type CommandId } from "../window/ids.ts";
import { MODE_TEXTS, listOtherModes } from "../session/mode-model.ts";
import type { SessionState } from "../session/session-model.ts";
import { makeVisibleLine } from "../../core/base/visible.ts";
import { removeMarkupFromLine } from "../window/messages-model.ts";
import { formatCount, localizeCount } from "../../core/base/plural.ts";

type ShownState = Pick<SessionState, "counts" | "spent" | "requests" | "unreached"> &
  Partial<Pick<SessionState, "unreachedWhy">>;

export interface StatusInput extends ShownState {
  readonly status: { readonly kind: "off" | "starting" | "ready" | "failed"; readonly reason?: string };
  readonly mode: Mode;
  readonly missing: number;
  /** Modes of the separate runs that are in progress. */
  readonly runs: readonly Mode[];
  /** Origin of the server, without the token. */
  readonly origin: string | undefined;
  /** Notes for the user: invalid settings, redirected variables. */
  readonly notes: readonly string[];
  /** The result of a separate run, for a few seconds. */
  readonly flash: string | undefined;
  /** If the window has several folders: the shown folder, and the number of missing calls in each. */
  readonly folder?: {
    readonly name: string;
    readonly missing: readonly (readonly [name: string, count: number])[];
  };
}

interface StatusItem {
  readonly text: string;
  /** Markdown with command links to `LINKED_COMMANDS` only. */
  readonly tooltip: string;
  readonly background: "warning" | "error" | undefined;
  readonly accessibilityLabel: string;
  readonly command: CommandId;
}

export const LINKED_COMMANDS: readonly CommandId[] = [
  COMMANDS.selectMode,
  COMMANDS.goToMissing,
  COMMANDS.stopRun,
  COMMANDS.showLog,
  COMMANDS.turnOn,
  COMMANDS.turnOff,
  COMMANDS.restartServer,
];

/** Composes the status bar item. It shows the mode and the results without relying on color. */
export function describeStatusBar(input: StatusInput): StatusItem {
  const { status } = input;
  if (status.kind === "off" || status.kind === "failed") return unavailable(input);
  const { icon, name } = MODE_TEXTS[input.mode];
  const leaves = canLeaveMachine(input.mode);
  const recording = input.runs.filter(canLeaveMachine).length;
  const runs =
    leaves || recording === 0 ? "" : `$(record~spin) ${localizeCount(recording, "{0} run", "{0} runs")}`;
  const missing =
    input.mode === "strict" && input.missing > 0 ? `$(warning) ${formatCount(input.missing)}` : "";
  const whose = input.folder ? `· ${removeMarkupFromLine(input.folder.name)}` : "";
  const text = [
    `$(${icon}) ${name}`,
    whose,
    missing,
    runs,
    input.flash === undefined ? "" : `· ${input.flash}`,
  ]
    .filter((part) => part !== "")
    .join(" ");
  return {
    text,
    tooltip: tooltip(input),
    background: leaves ? "warning" : undefined,
    accessibilityLabel: spokenText(input, recording),
    command: COMMANDS.toggleMode,
  };
}

function unavailable({ status, notes, folder }: StatusInput): StatusItem {
  const failed = status.kind === "failed";
  const reason = status.reason ?? (failed ? localize("The replay server did not start.") : "");
  const action = failed
    ? link(localize("Restart Server"), COMMANDS.restartServer)
    : link(localize("Turn On"), COMMANDS.turnOn);
  const state = (name?: string): string => {
    if (name === undefined)
      return failed ? localize("Tapedeck is not running.") : localize("Tapedeck is off.");
    return failed
      ? localize("Tapedeck is not running in {0}.", name)
      : localize("Tapedeck is off in {0}.", name);
  };
  const lines = [
    `**${state(folder && escape(folder.name))}**`,
    ...[reason, ...(failed ? notes : [])].filter((text) => text !== "").map(escape),
  ];
  return {
    text: `$(circle-slash) Tapedeck${folder ? ` · ${removeMarkupFromLine(folder.name)}` : ""}`,
    tooltip: [...lines, `${action} · ${link(localize("Show Log"), COMMANDS.showLog)}`].join("\n\n"),
    background: failed ? "error" : undefined,
    accessibilityLabel: makeVisibleLine(joinSentences(state(folder?.name), reason)),
    command: failed ? COMMANDS.restartServer : COMMANDS.toggleMode,
  };
}

function spokenText(input: StatusInput, recording: number): string {
  const { name } = MODE_TEXTS[input.mode];
  const leaves = canLeaveMachine(input.mode);
  const parts = [
    localize("Tapedeck, {0} mode", name),
    input.folder ? localize("in folder {0}", makeVisibleLine(input.folder.name)) : "",
    leaves ? localize("calls can leave this machine") : localize("nothing leaves this machine"),
    input.status.kind === "starting" ? localize("starting") : "",
    input.missing > 0 ? localize("{0} missing", formatCount(input.missing)) : "",
    !leaves && recording > 0 ? localize("{0} recording now", recording) : "",
    input.flash ?? "",
  ];
  return joinList(parts.filter((part) => part !== ""));
}

function tooltip(input: StatusInput): string {
  const { mode, counts, spent, missing, requests, origin } = input;
  const { name, description } = MODE_TEXTS[mode];
  const title =
    input.folder === undefined
      ? localize("Tapedeck: {0}", name)
      : localize("Tapedeck: {0} in {1}", name, escape(input.folder.name));
  const modes = listOtherModes(mode).map((other) => link(MODE_TEXTS[other].name, COMMANDS.selectMode, other));
  const paragraphs = [
    `**${title}**`,
    description,
    localize("This run: {0}.", formatCounts(counts)),
    spent.calls === 0 ? "" : escape(localize("Spent: {0}.", formatSpending(spent))),
    origin === undefined
      ? localize("Starting…")
      : localizeCount(
          requests,
          "{0} request reached {1} so far.",
          "{0} requests reached {1} so far.",
          `\`${origin}\``,
        ),
    input.unreached === undefined
      ? ""
      : joinSentences(
          localize("{0} ended without a call that reached Tapedeck.", escape(input.unreached)),
          escape(input.unreachedWhy ?? ""),
        ),
    missingByFolder(input),
    ...input.notes.map((note) => `$(info) ${escape(note)}`),
    localize("Switch to {0}", modes.join(" · ")),
    [
      ...(missing > 0 ? [link(localize("{0} missing", formatCount(missing)), COMMANDS.goToMissing)] : []),
      ...(input.runs.length > 0 ? [link(localize("Stop Recording or Replaying"), COMMANDS.stopRun)] : []),
      link(localize("Show Log"), COMMANDS.showLog),
      link(localize("Turn Off"), COMMANDS.turnOff),
    ].join(" · "),
  ];
  return paragraphs.filter((paragraph) => paragraph !== "").join("\n\n");
}

/** Lists the missing calls of all folders, because the item shows only one. */
function missingByFolder({ folder }: StatusInput): string {
  const missing = folder?.missing.filter(([, count]) => count > 0) ?? [];
  if (missing.length === 0) return "";
  const all = missing.reduce((sum, [, count]) => sum + count, 0);
  const each = missing.map(([name, count]) => localize("{0} in {1}", formatCount(count), escape(name)));
  return localize("Missing in all folders: {0} ({1}).", formatCount(all), joinList(each));
}

function link(text: string, command: CommandId, argument?: string): string {
  const query = argument === undefined ? "" : `?${encodeURIComponent(JSON.stringify([argument]))}`;
  return `[${text}](command:${command}${query})`;
}

/** Escapes Markdown in the names of tests, commands, and folders, and the colon that makes an address a link. */
function escape(text: string): string {
  return makeVisibleLine(text).replaceAll(/[\\`*_{}[\]()#+\-!|<>~$&]|:(?=\/\/)/gu, String.raw`\$&`);
}
