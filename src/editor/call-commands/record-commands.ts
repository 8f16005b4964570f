import * as vscode from "vscode";
import type { Key, TestRef } from "../../core/call/call.ts";
import { COMMANDS, type CommandTable, addressArguments } from "../window/ids.ts";
import { type ViewDeps, entriesOf, missingOf } from "./command-targets.ts";
import {
  type MissingCall,
  type OpenFinding,
  isMissingCall,
  missingCalls,
} from "../findings/findings-model.ts";
import { targetsFromArguments } from "../calls/call-node-model.ts";
import {
  type RecordRequest,
  byTests,
  recordingLater,
  requestsByTest,
} from "../test-code/test-target-model.ts";
import { testsOf } from "../documents/show-call.ts";
import { ask, sayInformation } from "../window/messages.ts";

/** Commands that run tests for the sake of calls. The running itself is that of `base`. */
export function recordCommands(deps: ViewDeps, base: Pick<CommandTable, (typeof COMMANDS)["recordTest"]>) {
  const findingsIn = (args: readonly unknown[]): readonly OpenFinding[] =>
    targetsFromArguments(args, (node) => deps.view.current(node)).flatMap((one) =>
      "finding" in one ? (deps.documents.finding(one.finding) ?? []) : [],
    );
  return {
    [COMMANDS.recordCall]: async (...args) => {
      const entries = args.length === 0 ? [] : await entriesOf(args, deps);
      if (entries.length > 0) return recordAgain(entries, deps);
      const hasMissing = missingCalls(deps.session.state.findings).length > 0;
      if (findingsIn(args).length === 0 && !hasMissing)
        return recordAgain(await entriesOf(args, deps, "Record a call again"), deps);
      const calls = await missingOf(args, deps, "Record a missing call");
      const { tested, untested } = byTests(calls.filter(({ miss }) => miss.cacheFile === undefined));
      recordWhenMade(untested, deps);
      await run(requestsByTest(tested, { mode: "strict", override: "record" }), deps);
      // MetaGPT's own switch is for the whole test.
      await recordTests(
        calls.filter(({ miss }) => miss.cacheFile !== undefined),
        deps,
      );
    },
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
  const wanted = entries.flatMap((entry) => wantedOf(entry, deps));
  if (wanted.length === 0 && entries.length > 0) {
    void sayInformation(
      "No test is known to make this call, so it cannot be made again from here. Run what makes it in record mode.",
    );
  }
  if (wanted.length > 1 && !(await isSure(wanted.length))) return;
  await run(requestsByTest(wanted, { mode: "record", override: "refresh" }), deps);
}

/** Many at once may cost; one alone is what was just asked for. */
async function isSure(count: number): Promise<boolean> {
  const detail =
    "Their tests run, and the provider is asked for each again. Discard brings back what was recorded.";
  const yes = "Re-record";
  return (await ask({ text: `Re-record ${count} recordings?`, detail, buttons: [yes] })) === yes;
}

/** One test is enough to make a call again. */
function wantedOf(entry: string, deps: ViewDeps): readonly { readonly test: TestRef; readonly key: Key }[] {
  const [test] = testsOf({ entry }, deps);
  const key = deps.index.keyOf(entry);
  return test && key ? [{ test, key }] : [];
}

async function recordTests(calls: readonly MissingCall[], deps: ViewDeps): Promise<void> {
  const { tested, untested } = byTests(calls);
  recordWhenMade(untested, deps);
  await run(requestsByTest(tested, { mode: "record" }), deps);
}

/** What made a call outside of any test cannot be run from here: it is recorded when it is made again. */
function recordWhenMade(untested: readonly MissingCall[], { session }: ViewDeps): void {
  const { keys, text } = recordingLater(untested);
  session.runs.recordNext(keys);
  if (text !== undefined) void sayInformation(text);
}

async function run(requests: readonly RecordRequest[], { session }: ViewDeps): Promise<void> {
  for (const request of requests)
    await vscode.commands.executeCommand(COMMANDS.recordTest, ...addressArguments([request], session.tag));
}
