import { formatCount } from "../../core/base/plural.ts";
import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import type { Key, TestRef } from "../../core/call/call.ts";
import { COMMANDS, type CommandTable, addTagToArguments } from "../window/ids.ts";
import { type ViewDeps, chooseMissing, chooseTargets, listEntries, listTargets } from "./command-targets.ts";
import { listFindings } from "../documents/documents.ts";
import {
  type MissingCall,
  type OpenFinding,
  isMissingCall,
  listMissingCalls,
} from "../findings/findings-model.ts";
import { readTargets } from "../calls/call-node-model.ts";
import {
  type RecordRequest,
  splitByTests,
  planRecordingLater,
  groupRequestsByTest,
} from "../test-code/test-target-model.ts";
import { listTestsOfTarget } from "../documents/show-call.ts";
import { ask, showInformation } from "../window/messages.ts";

/** Commands that run tests to record calls. `base` runs the tests. */
export function createRecordCommands(
  deps: ViewDeps,
  base: Pick<CommandTable, (typeof COMMANDS)["recordTest"]>,
) {
  const findingsIn = (args: readonly unknown[]): readonly OpenFinding[] =>
    listFindings(readTargets(args, deps.view.current), deps);
  return {
    [COMMANDS.recordCall]: async (...args) => {
      const entries = args.length === 0 ? [] : listEntries(listTargets(args, deps));
      if (entries.length > 0) return recordAgain(entries, deps);
      const hasMissing = listMissingCalls(deps.session.state.findings).length > 0;
      if (findingsIn(args).length === 0 && !hasMissing) {
        const question = localize("Select a recording to record again");
        return recordAgain(listEntries(await chooseTargets(args, deps, question)), deps);
      }
      const calls = await chooseMissing(args, deps, localize("Select a missing call to record"));
      const { tested, untested } = splitByTests(calls.filter(({ miss }) => miss.cacheFile === undefined));
      recordWhenMade(untested, deps);
      await run(groupRequestsByTest(tested, { mode: "strict", override: "record" }), deps);
      // MetaGPT's switch applies to the whole test.
      await recordTests(
        calls.filter(({ miss }) => miss.cacheFile !== undefined),
        deps,
      );
    },
    [COMMANDS.recordMissing]: () => recordTests(listMissingCalls(deps.session.state.findings), deps),
    [COMMANDS.recordTest]: async (...args) => {
      const findings = findingsIn(args);
      const calls = findings.filter(isMissingCall);
      if (calls.length > 0) return recordTests(calls, deps);
      const [test] = findings.flatMap((finding) => finding.test ?? []);
      return base[COMMANDS.recordTest](...(test ? [{ test }] : args));
    },
  } satisfies Partial<CommandTable>;
}

async function recordAgain(entries: readonly string[], deps: ViewDeps): Promise<void> {
  await deps.index.ensure(entries);
  const calls = entries.flatMap((entry) => wantedOf(entry, deps));
  if (calls.length === 0 && entries.length > 0) {
    void showInformation(
      localize(
        "No known test makes this call. To record it again, run the program that makes it in record mode.",
      ),
    );
  }
  if (calls.length > 1 && !(await isSure(calls.length))) return;
  await run(groupRequestsByTest(calls, { mode: "record", override: "refresh" }), deps);
}

/** Asks before several calls are sent, because they can cost money. */
async function isSure(count: number): Promise<boolean> {
  const text = localize("Re-record {0} recordings?", formatCount(count));
  const detail = localize(
    "Their tests run, and each call goes to the provider again. Discard the new recordings to restore the old ones.",
  );
  const yes = localize("Re-record");
  return (await ask({ text, detail, buttons: [yes] })) === yes;
}

/** Returns one test that makes the call again. */
function wantedOf(entry: string, deps: ViewDeps): readonly { readonly test: TestRef; readonly key: Key }[] {
  const [test] = listTestsOfTarget({ entry }, deps);
  const key = deps.index.keyOf(entry);
  return test && key ? [{ test, key }] : [];
}

async function recordTests(calls: readonly MissingCall[], deps: ViewDeps): Promise<void> {
  const { tested, untested } = splitByTests(calls);
  recordWhenMade(untested, deps);
  await run(groupRequestsByTest(tested, { mode: "record" }), deps);
}

/** Calls outside tests cannot be made from here, so they are recorded the next time they are made. */
function recordWhenMade(untested: readonly MissingCall[], { session }: ViewDeps): void {
  const { keys, text } = planRecordingLater(untested);
  session.runs.recordNext(keys);
  if (text !== undefined) void showInformation(text);
}

async function run(requests: readonly RecordRequest[], { session }: ViewDeps): Promise<void> {
  if (requests.length > 0)
    await vscode.commands.executeCommand(COMMANDS.recordTest, ...addTagToArguments(requests, session.tag));
}
