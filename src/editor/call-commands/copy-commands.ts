import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import type { Miss } from "../../core/call/call.ts";
import type { Recording } from "../../core/cassette/recording.ts";
import { createNoUpstream } from "../../core/base/errors.ts";
import { describeFinding } from "../../core/view/finding.ts";
import { localizeCount } from "../../core/base/plural.ts";
import { readFields } from "../../core/base/lenient.ts";
import { formatMessage } from "../../core/view/message-text.ts";
import { makeVisibleLine } from "../../core/base/visible.ts";
import { type CallNode, type CallTarget, readChosen, isNode } from "../calls/call-node-model.ts";
import { isMissingCall } from "../findings/findings-model.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import { flashStatus, showInformation } from "../window/messages.ts";
import { pickOne } from "../window/picks.ts";
import { type ViewDeps, chooseTargets, expectOwn, listEntries } from "./command-targets.ts";
import { type CachedRef, readCachedEntry } from "../../core/cassette/cached-ref.ts";
import { listFindings } from "../documents/documents.ts";
import { writeCurlCommand } from "./curl-model.ts";

const FORMATS = [
  { as: "reply", icon: "comment", label: localize("Reply"), detail: localize("The text of the reply") },
  {
    as: "key",
    icon: "key",
    label: localize("Key"),
    detail: localize("The hash by which requests find the recording"),
  },
  {
    as: "curl",
    icon: "terminal",
    label: localize("curl command"),
    detail: localize("The request, without your key"),
  },
  {
    as: "rows",
    icon: "list-flat",
    label: localize("Row"),
    detail: localize("The text of the row in the view"),
  },
] as const;

type Format = (typeof FORMATS)[number]["as"];

/** Returns the format that the arguments request. */
const readFormat = (args: readonly unknown[]): Format | undefined =>
  FORMATS.find(({ as }) => args.some((one) => readFields(one)["as"] === as))?.as;

export function createCopyCommands(deps: ViewDeps) {
  return {
    [COMMANDS.copy]: async (...args) => {
      const rows = readChosen(args).filter(isNode);
      const given = readFormat(args);
      if (given === "rows") return copyRows(rows);
      const targets = await chooseTargets(
        given === undefined ? args : args.slice(0, 2),
        deps,
        localize("Select a call to copy"),
      );
      if (targets.length === 0) return;
      const as = given ?? (await pickFormat(targets, rows.length > 0));
      if (as === "rows") await copyRows(rows);
      if (as === "key") {
        const keys = await Promise.all(targets.map((target) => keyOf(target, deps)));
        await copy(keys.join("\n"), localizeCount(keys.length, "Copied {0} key", "Copied {0} keys"));
      }
      if (as === "curl") await copyCurl(targets, deps);
      if (as === "reply") await copyReplies(targets, deps);
    },
  } satisfies Partial<CommandTable>;
}

const refOf = (target: CallTarget): CachedRef | undefined =>
  "entry" in target ? readCachedEntry(target.entry) : undefined;

/** Entries of MetaGPT's cache have no request. Only their keys are copied, which are their prompts. */
async function pickFormat(targets: readonly CallTarget[], hasRows: boolean): Promise<Format | undefined> {
  if (targets.some(refOf)) return "key";
  const hasReply = targets.some((target) => "entry" in target);
  const items = FORMATS.filter(({ as }) => (as !== "reply" || hasReply) && (as !== "rows" || hasRows));
  return (await pickOne(items, { placeholder: localize("Select what to copy") }))?.as;
}

async function keyOf(target: CallTarget, deps: ViewDeps): Promise<string> {
  const ref = refOf(target);
  return (ref ? await deps.caches.find(ref) : await requestOf(target, deps)).key;
}

async function requestOf(target: CallTarget, deps: ViewDeps): Promise<Recording | Miss> {
  if ("entry" in target) return (await deps.index.read(target.entry)).recording;
  const call = listFindings([target], deps).find(isMissingCall);
  if (call === undefined) throw new Error(localize("This call is no longer missing."));
  return call.miss;
}

async function copyCurl(targets: readonly CallTarget[], deps: ViewDeps): Promise<void> {
  listFindings(targets, deps).filter(isMissingCall).forEach(expectOwn);
  const requests = await Promise.all(targets.map((target) => requestOf(target, deps)));
  const { providers } = deps.session.deck;
  const commands = requests.map(({ provider: name, request }) => {
    const provider = providers.get(name);
    if (provider?.upstream === undefined) throw createNoUpstream(name);
    return writeCurlCommand({ provider, upstream: provider.upstream, request });
  });
  await copy(commands.join("\n"), localize("Copied a curl command without your key"));
}

async function copyReplies(targets: readonly CallTarget[], { index }: ViewDeps): Promise<void> {
  const views = await Promise.all(listEntries(targets).map((entry) => index.read(entry)));
  const replies = views.map(({ projection }) => projection.messages.map(formatMessage).join("\n"));
  const done = localizeCount(replies.length, "Copied {0} reply", "Copied {0} replies");
  if (replies.join("") !== "") await copy(replies.join("\n\n"), done);
  else if (replies.length > 0) void showInformation(localize("This reply contains no text."));
}

/** Copies rows as the view shows them. Findings other than missing calls are copied with all details. */
async function copyRows(rows: readonly CallNode[]): Promise<void> {
  const lines = rows.map(({ label, description, subject }) =>
    subject.kind === "finding" && !isMissingCall(subject.finding)
      ? describeFinding(subject.finding)
      : makeVisibleLine([label, description].filter(Boolean).join("  ")),
  );
  await copy(lines.join("\n"), localizeCount(rows.length, "Copied {0} row", "Copied {0} rows"));
}

async function copy(text: string, done: string): Promise<void> {
  if (text === "") return;
  await vscode.env.clipboard.writeText(text);
  flashStatus("copy", done);
}
