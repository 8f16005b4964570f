import { countsText } from "../runs/call-counts-model.ts";
import { spendingText, type Spending } from "../../core/call/spending.ts";
import { canLeaveMachine, type Mode } from "../../core/call/call.ts";
import { COMMANDS, type CommandId } from "../window/ids.ts";
import { MODE_TEXTS, otherModes } from "../session/mode-model.ts";
import type { RunCounts } from "../runs/call-counts-model.ts";
import { visibleLine } from "../../core/base/visible.ts";
import { plainLine } from "../window/messages-model.ts";
import { countText, plural } from "../../core/base/plural.ts";

export interface StatusInput {
  readonly status: { readonly kind: "off" | "starting" | "ready" | "failed"; readonly reason?: string };
  readonly mode: Mode;
  readonly counts: RunCounts;
  /** The number of recordings is shown while calls are recorded faster than a person reads. */
  readonly isRecordingFast?: boolean;
  /** What this run's calls took that left the machine. */
  readonly spent: Spending;
  /** Number of outstanding misses. */
  readonly missing: number;
  /** Modes of the runs of their own under way. */
  readonly runs: readonly Mode[];
  readonly requests: number;
  readonly unreached: string | undefined;
  readonly unreachedWhy?: string | undefined;
  /** Origin of the server, without the token. */
  readonly origin: string | undefined;
  /** What a person should know: settings that could not be taken, variables that were redirected. */
  readonly notes: readonly string[];
  /** How a run of its own ended, for a few seconds. */
  readonly flash: string | undefined;
  /** Where a window has several: the one it is about, and how many calls are missing in each. */
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

/** The one item in the status bar: it tells the mode and what happened without relying on colour. */
export function statusBarModel(input: StatusInput): StatusItem {
  const { status } = input;
  if (status.kind === "off" || status.kind === "failed") return unavailable(input);
  const { icon, name } = MODE_TEXTS[input.mode];
  const leaves = canLeaveMachine(input.mode);
  const recording = input.runs.filter(canLeaveMachine).length;
  const runs =
    leaves || recording === 0 ? "" : `$(record~spin) ${recording} ${recording === 1 ? "run" : "runs"}`;
  const missing =
    input.mode === "strict" && input.missing > 0 ? `$(warning) ${countText(input.missing)}` : "";
  const whose = input.folder ? `· ${plainLine(input.folder.name)}` : "";
  const text = [
    `$(${icon}) ${name}`,
    whose,
    missing,
    runs,
    input.isRecordingFast === true && input.flash === undefined
      ? `· ${countText(input.counts.recorded)} recorded`
      : "",
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
  const reason = status.reason ?? (failed ? "The replay server did not start." : "Tapedeck is off.");
  const action = failed
    ? link("Restart the server", COMMANDS.restartServer)
    : link("Turn on", COMMANDS.turnOn);
  const where = folder ? ` in ${escape(folder.name)}` : "";
  const lines = [
    `**Tapedeck** is ${failed ? "not running" : "off"}${where}`,
    escape(reason),
    ...notes.map(escape),
  ];
  return {
    text: `$(circle-slash) Tapedeck${folder ? ` · ${plainLine(folder.name)}` : ""}`,
    tooltip: [...lines, `${action} · ${link("Show log", COMMANDS.showLog)}`].join("\n\n"),
    background: failed ? "error" : undefined,
    accessibilityLabel: `Tapedeck, ${failed ? "not running" : "off"}${folder ? ` in folder ${visibleLine(folder.name)}` : ""}: ${visibleLine(reason)}`,
    command: failed ? COMMANDS.restartServer : COMMANDS.toggleMode,
  };
}

function spokenText(input: StatusInput, recording: number): string {
  const { name } = MODE_TEXTS[input.mode];
  const leaves = canLeaveMachine(input.mode);
  const parts = [
    `Tapedeck, mode ${name}`,
    input.folder ? `in folder ${visibleLine(input.folder.name)}` : "",
    leaves ? "calls can leave this machine" : "nothing leaves this machine",
    input.status.kind === "starting" ? "starting" : "",
    input.missing > 0 ? `${input.missing} missing` : "",
    !leaves && recording > 0 ? `${recording} recording now` : "",
    input.flash ?? "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

function tooltip(input: StatusInput): string {
  const { mode, counts, spent, missing, requests, origin } = input;
  const where = input.folder ? ` in ${escape(input.folder.name)}` : "";
  const modes = otherModes(mode).map((other) => link(MODE_TEXTS[other].name, COMMANDS.selectMode, other));
  const paragraphs = [
    `**Tapedeck: ${MODE_TEXTS[mode].name}${where}.** ${MODE_TEXTS[mode].description}.`,
    `This run: ${countsText(counts)}.`,
    spent.calls === 0 ? "" : escape(`Spent: ${spendingText(spent)}.`),
    origin === undefined ? "Starting…" : `${plural(requests, "request")} reached \`${origin}\` so far.`,
    input.unreached === undefined
      ? ""
      : `${escape(input.unreached)} ended without a call that reached Tapedeck. ${escape(input.unreachedWhy ?? "")}`.trim(),
    missingByFolder(input),
    ...input.notes.map((note) => `$(info) ${escape(note)}`),
    `Switch to ${modes.join(" · ")}`,
    [
      ...(missing > 0 ? [link(`${missing} missing`, COMMANDS.goToMissing)] : []),
      ...(input.runs.length > 0 ? [link("Stop recording or replaying", COMMANDS.stopRun)] : []),
      link("Show log", COMMANDS.showLog),
      link("Turn off", COMMANDS.turnOff),
    ].join(" · "),
  ];
  return paragraphs.filter((paragraph) => paragraph !== "").join("\n\n");
}

/** Of all folders, since the item shows one. */
function missingByFolder({ folder }: StatusInput): string {
  const missing = folder?.missing.filter(([, count]) => count > 0) ?? [];
  if (missing.length === 0) return "";
  const all = missing.reduce((sum, [, count]) => sum + count, 0);
  const each = missing.map(([name, count]) => `${count} in ${escape(name)}`).join(", ");
  return `Missing in all folders: ${all} (${each}).`;
}

function link(text: string, command: CommandId, argument?: string): string {
  const query = argument === undefined ? "" : `?${encodeURIComponent(JSON.stringify([argument]))}`;
  return `[${text}](command:${command}${query})`;
}

/** Names of tests, commands and folders are text, not markup. */
function escape(text: string): string {
  return visibleLine(text).replaceAll(/[\\`*_{}[\]()#+\-!|<>~$&]/gu, String.raw`\$&`);
}
