import { messageText } from "../../core/view/message-text.ts";
import * as vscode from "vscode";
import { noUpstream } from "../../core/errors.ts";
import type { RecordedRequest } from "../../core/cassette/recording.ts";
import type { Key } from "../../core/call.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import {
  entriesOf,
  expectOwn,
  missingOf,
  pickMissing,
  targetsOf,
  withoutUnfocused,
} from "./command-targets.ts";
import { curlCommand } from "./curl-model.ts";
import { pickRecording } from "./pick-recording.ts";
import { showCall, showFile, showTest, testsOf } from "../documents/show-call.ts";
import type { ViewDeps } from "./view-deps.ts";
import { flashStatus, sayInformation } from "../window/messages.ts";
import type { CallTarget } from "../calls-tree/call-node-model.ts";
import { plural } from "../../core/plural.ts";

/** Commands that show a call, or give something of it to the clipboard. */
export function openCommands(deps: ViewDeps) {
  return {
    [COMMANDS.openCall]: async (...args) => {
      const [target] = await oneTarget(args, deps, "Open a recording");
      if (target) await showCall(target, deps);
    },
    [COMMANDS.openRecording]: async () => {
      const entry = await pickRecording(deps, {
        placeholder: "Words of a prompt, a reply, a model or a test",
      });
      if (entry !== undefined) await showCall({ entry }, deps);
    },
    [COMMANDS.openFile]: async (...args) => {
      for (const entry of await entriesOf(args, deps, "Open the file of a recording")) {
        await deps.index.ensure([entry]);
        const facts = deps.index.facts(entry);
        await showFile(entry, deps, facts?.kind === "broken" ? facts : undefined);
      }
    },
    [COMMANDS.goToTest]: async (...args) => {
      const [target] = await oneTarget(args, deps, "Go to the test of a recording");
      if (target === undefined) return;
      if ("entry" in target) await deps.index.ensure([target.entry]);
      const tests = testsOf(target, deps);
      if (tests.length > 0) await showTest(tests, deps);
      else void sayInformation("No test is known to make this call.");
    },
    [COMMANDS.goToMissing]: async (...args) => {
      const calls = await missingOf(withoutUnfocused(args), deps, "Go to a missing call");
      const call = calls.length > 1 ? await pickMissing(calls, "Go to a missing call") : calls[0];
      if (call === undefined) return;
      await showCall({ finding: call.id }, deps);
      if (deps.view.visible) await deps.view.reveal({ finding: call.id });
    },
    [COMMANDS.copyKey]: async (...args) => {
      const targets = await oneTarget(args, deps, "Copy the key of a recording");
      const requests = await Promise.all(targets.map((target) => requestOf(target, deps)));
      await copy(requests.map(({ key }) => key).join("\n"), plural(targets.length, "key"));
    },
    [COMMANDS.copyCurl]: async (...args) =>
      copyCurl(await oneTarget(args, deps, "Copy a recording's request as curl"), deps),
    [COMMANDS.copyReply]: async (...args) =>
      copyReplies(await entriesOf(args, deps, "Copy the reply of a recording"), deps),
  } satisfies Partial<CommandTable>;
}

/** All that are meant; where none is, the one that the person picks. */
async function oneTarget(
  args: readonly unknown[],
  deps: ViewDeps,
  question: string,
): Promise<readonly CallTarget[]> {
  const targets = targetsOf(args, deps);
  if (targets.length > 0) return targets;
  const entry = await pickRecording(deps, { placeholder: question });
  return entry === undefined ? [] : [{ entry }];
}

interface Asked {
  readonly key: Key;
  readonly provider: string;
  readonly request: RecordedRequest;
}

async function requestOf(target: CallTarget, { index, documents }: ViewDeps): Promise<Asked> {
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
  await copy(requests.map((asked) => curlOf(asked, deps)).join("\n"), "curl command, without a key");
}

function curlOf({ provider: name, request }: Asked, { session }: ViewDeps): string {
  const provider = session.deck.providers.get(name);
  if (provider?.upstream === undefined) throw noUpstream(name);
  return curlCommand({ provider, upstream: provider.upstream, request });
}

async function copyReplies(entries: readonly string[], { index }: ViewDeps): Promise<void> {
  const views = await Promise.all(entries.map((entry) => index.read(entry)));
  const replies = views.map(({ projection }) => projection.messages.map(messageText).join("\n"));
  if (replies.join("") !== "") await copy(replies.join("\n\n"), plural(replies.length, "reply", "replies"));
  else if (replies.length > 0) void sayInformation("There is no text in this reply.");
}

async function copy(text: string, what: string): Promise<void> {
  if (text === "") return;
  await vscode.env.clipboard.writeText(text);
  flashStatus("copy", `Copied ${what}`);
}
