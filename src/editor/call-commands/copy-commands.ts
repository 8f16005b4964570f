import * as vscode from "vscode";
import type { Key } from "../../core/call/call.ts";
import type { RecordedRequest } from "../../core/cassette/recording.ts";
import { noUpstream } from "../../core/base/errors.ts";
import { findingText } from "../../core/view/finding.ts";
import { plural } from "../../core/base/plural.ts";
import { fieldsOf } from "../../core/base/lenient.ts";
import { messageText } from "../../core/view/message-text.ts";
import { visibleLine } from "../../core/base/visible.ts";
import { type CallNode, type CallTarget, chosenOf, isNode } from "../calls/call-node-model.ts";
import { isMissingCall } from "../findings/findings-model.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import { flashStatus, sayInformation } from "../window/messages.ts";
import { pickOne } from "../window/picks.ts";
import { type ViewDeps, expectOwn, oneTarget } from "./command-targets.ts";
import { curlCommand } from "./curl-model.ts";

const FORMATS = [
  { as: "reply", icon: "comment", label: "Reply", detail: "The text of the answer" },
  { as: "key", icon: "key", label: "Key", detail: "The hash by which requests find the recording" },
  { as: "curl", icon: "terminal", label: "curl command", detail: "The request, without your key" },
  { as: "rows", icon: "list-flat", label: "Row", detail: "The line as it reads in the view" },
] as const;

type Format = (typeof FORMATS)[number]["as"];

/** Returns the format that the arguments request. */
export const formatOf = (args: readonly unknown[]): Format | undefined =>
  FORMATS.find(({ as }) => args.some((one) => fieldsOf(one)["as"] === as))?.as;

export function copyCommands(deps: ViewDeps) {
  return {
    [COMMANDS.copy]: async (...args) => {
      const rows = chosenOf(args).filter(isNode);
      const given = formatOf(args);
      if (given === "rows") return copyRows(rows);
      const targets = await oneTarget(
        given === undefined ? args : args.slice(0, 2),
        deps,
        "Copy which call?",
      );
      if (targets.length === 0) return;
      const as = given ?? (await pickFormat(targets, rows.length > 0));
      if (as === "rows") await copyRows(rows);
      if (as === "key") {
        const requests = await Promise.all(targets.map((target) => requestOf(target, deps)));
        await copy(requests.map(({ key }) => key).join("\n"), plural(targets.length, "key"));
      }
      if (as === "curl") await copyCurl(targets, deps);
      if (as === "reply") await copyReplies(targets, deps);
    },
  } satisfies Partial<CommandTable>;
}

async function pickFormat(targets: readonly CallTarget[], hasRows: boolean): Promise<Format | undefined> {
  const hasReply = targets.some((target) => "entry" in target);
  const items = FORMATS.filter(({ as }) => (as !== "reply" || hasReply) && (as !== "rows" || hasRows));
  return (await pickOne(items, { placeholder: "What to copy" }))?.as;
}

interface Request {
  readonly key: Key;
  readonly provider: string;
  readonly request: RecordedRequest;
}

async function requestOf(target: CallTarget, { index, documents }: ViewDeps): Promise<Request> {
  if ("entry" in target) return (await index.read(target.entry)).recording;
  const call = documents.missing(target.finding);
  if (call === undefined) throw new Error("This missing call is no longer known.");
  return call.miss;
}

async function copyCurl(targets: readonly CallTarget[], deps: ViewDeps): Promise<void> {
  for (const target of targets) {
    const call = "finding" in target ? deps.documents.missing(target.finding) : undefined;
    if (call) expectOwn(call, "asked for by curl");
  }
  const requests = await Promise.all(targets.map((target) => requestOf(target, deps)));
  const { providers } = deps.session.deck;
  const commands = requests.map(({ provider: name, request }) => {
    const provider = providers.get(name);
    if (provider?.upstream === undefined) throw noUpstream(name);
    return curlCommand({ provider, upstream: provider.upstream, request });
  });
  await copy(commands.join("\n"), "curl command, without a key");
}

async function copyReplies(targets: readonly CallTarget[], { index }: ViewDeps): Promise<void> {
  const entries = targets.flatMap((target) => ("entry" in target ? target.entry : []));
  const views = await Promise.all(entries.map((entry) => index.read(entry)));
  const replies = views.map(({ projection }) => projection.messages.map(messageText).join("\n"));
  if (replies.join("") !== "") await copy(replies.join("\n\n"), plural(replies.length, "reply", "replies"));
  else if (replies.length > 0) void sayInformation("There is no text in this reply.");
}

/** Copies rows as the view shows them. Findings other than missing calls are copied with all details. */
async function copyRows(rows: readonly CallNode[]): Promise<void> {
  const lines = rows.map(({ label, description, subject }) =>
    subject.kind === "finding" && !isMissingCall(subject.finding)
      ? findingText(subject.finding)
      : visibleLine([label, description].filter(Boolean).join("  ")),
  );
  await copy(lines.join("\n"), plural(rows.length, "row"));
}

async function copy(text: string, what: string): Promise<void> {
  if (text === "") return;
  await vscode.env.clipboard.writeText(text);
  flashStatus("copy", `Copied ${what}`);
}
