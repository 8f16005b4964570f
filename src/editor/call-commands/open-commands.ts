import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import {
  type ViewDeps,
  chooseMissing,
  chooseTargets,
  listEntries,
  listTargets,
  pickMissing,
  withoutUnfocused,
} from "./command-targets.ts";
import { pickRecording } from "./pick-recording.ts";
import { showCall, showFile, showTest, listTestsOfTarget } from "../documents/show-call.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import { showInformation, showDifference } from "../window/messages.ts";
import { listFindings } from "../documents/documents.ts";
import { type DocumentSubject, getCallTitle } from "../documents/document-uri-model.ts";
import { createCallUri } from "../documents/uris.ts";
import { type CallNode, type CallTarget, isNode, readChosen } from "../calls/call-node-model.ts";
import { shortenLabel } from "../../core/view/row.ts";
import { isMissingCall } from "../findings/findings-model.ts";

/** Commands that show a call, its file, or its test. */
export function createOpenCommands(deps: ViewDeps) {
  return {
    [COMMANDS.openCall]: async (...args) => {
      const placeholder = localize("Words of a prompt, a reply, a model, or a test");
      const given = withoutUnfocused(args);
      const [target] = given.length > 0 ? listTargets(given, deps) : [];
      const shown = target ?? (await pickRecording(deps, { placeholder }));
      if (shown) await showCall(shown, deps);
    },
    [COMMANDS.openFile]: async (...args) => {
      for (const node of readChosen(args)) if (isNode(node)) await showCacheFile(node, deps);
      const question = localize("Select a recording to open its file");
      for (const entry of listEntries(await chooseTargets(args, deps, question))) await showFile(entry, deps);
    },
    [COMMANDS.goToTest]: async (...args) => {
      const [target] = await chooseTargets(args, deps, localize("Select a recording to go to its test"));
      if (target === undefined) return;
      if ("entry" in target) await deps.index.ensure([target.entry]);
      const tests = listTestsOfTarget(target, deps);
      if (tests.length > 0) await showTest(tests, deps);
      else void showInformation(localize("No known test makes this call."));
    },
    [COMMANDS.goToMissing]: async (...args) => {
      const question = localize("Select a missing call");
      const calls = await chooseMissing(withoutUnfocused(args), deps, question);
      const call = calls.length > 1 ? await pickMissing(calls, question) : calls[0];
      if (call === undefined) return;
      await showCall({ finding: call.id }, deps);
      if (deps.view.visible) await deps.view.reveal({ finding: call.id }, deps.session.tag);
    },
  } satisfies Partial<CommandTable>;
}

/** Opens the file of MetaGPT's cache if its own line was chosen. */
async function showCacheFile({ subject }: CallNode, { session }: ViewDeps): Promise<void> {
  if (subject.kind === "cache")
    await vscode.window.showTextDocument(vscode.Uri.joinPath(session.folder.uri, subject.file));
}

/** Compares two calls: the selected ones, or one call and its nearest or replaced recording. */
export function createCompareCommands(deps: ViewDeps) {
  return {
    [COMMANDS.compareRecordings]: async (...args) => {
      const targets = listTargets(withoutUnfocused(args), deps);
      // A selected group has no two recordings to compare.
      const [given, other] = targets.length > 2 ? [] : targets;
      const first =
        given ?? (await pickRecording(deps, { placeholder: localize("Select a recording to compare") }));
      if (first === undefined) return;
      if (other) return compare(first, other, deps);
      if ("finding" in first) return compareWithNearest(first, deps);
      if (await compareWithReplaced(first.entry, deps)) return;
      const placeholder = localize("Select the recording to compare it with");
      const second = await pickRecording(deps, { placeholder, except: first.entry });
      if (second) await compare(first, second, deps);
    },
  } satisfies Partial<CommandTable>;
}

async function compareWithNearest(target: CallTarget, deps: ViewDeps): Promise<void> {
  const nearest = listFindings([target], deps).find(isMissingCall)?.miss.nearest;
  if (nearest) await compare({ entry: nearest.entry }, target, deps);
  else void showInformation(localize("There is no similar recording yet."));
}

/** Compares a new recording with the reply that it replaced; false if it replaced none. */
async function compareWithReplaced(entry: string, deps: ViewDeps): Promise<boolean> {
  const { session, index } = deps;
  if (session.state.candidates.get(entry)?.replaces !== true) return false;
  await index.ensure([entry]);
  const title = getCallTitle({ entry }, deps) ?? localize("Recording");
  const before = createCallUri({ entry }, "earlier", deps);
  const now = createCallUri({ entry }, "conversation", deps);
  await showDifference(before, now, localize("{0}: before ↔ re-recorded", title));
  return true;
}

/** Maximum characters of a call in the title of a comparison, so that both fit in a tab. */
const TITLE = 24;

/** Compares only the requests if one of the calls is missing. */
async function compare(left: CallTarget, right: CallTarget, deps: ViewDeps): Promise<void> {
  for (const target of [left, right]) if ("entry" in target) await deps.index.ensure([target.entry]);
  const part: DocumentSubject["part"] = "finding" in left || "finding" in right ? "request" : "conversation";
  const name = (target: CallTarget): string => {
    const title = shortenLabel(getCallTitle(target, deps) ?? localize("Recording"), TITLE);
    return "finding" in target ? localize("missing {0}", title) : title;
  };
  const title = `${name(left)} ↔ ${name(right)}`;
  await showDifference(createCallUri(left, part, deps), createCallUri(right, part, deps), title);
}
