import * as vscode from "vscode";
import type { Key, TestRef } from "../../core/call.ts";
import { addressArguments } from "../window/addressed-model.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import { entriesOf, missingOf } from "./command-targets.ts";
import { type RecordRequest, requestsByTest } from "./record-request-model.ts";
import { testsOf } from "../documents/show-call.ts";
import type { ViewDeps } from "./view-deps.ts";
import { sayInformation } from "../window/messages.ts";

/** Commands that run tests for the sake of a call. The running itself is the command `recordTest`'s. */
export function recordCommands(deps: ViewDeps) {
  return {
    [COMMANDS.rerecord]: async (...args) => {
      const entries = await entriesOf(args, deps, "Re-record a recording");
      await deps.index.ensure(entries);
      const wanted = entries.flatMap((entry) => wantedOf(entry, deps));
      await run(requestsByTest(wanted, { mode: "record", override: "refresh" }), entries.length, deps);
    },
    [COMMANDS.recordCall]: async (...args) => {
      const calls = await missingOf(args, deps, "Record a missing call");
      const wanted = calls.flatMap(({ test, miss }) => (test ? [{ test, key: miss.key }] : []));
      await run(requestsByTest(wanted, { mode: "strict", override: "record" }), calls.length, deps);
    },
    [COMMANDS.recordCallTest]: async (...args) => {
      const calls = await missingOf(args, deps, "Record the test of a missing call");
      const wanted = calls.flatMap(({ test, miss }) => (test ? [{ test, key: miss.key }] : []));
      await run(requestsByTest(wanted, { mode: "record" }), calls.length, deps);
    },
  } satisfies Partial<CommandTable>;
}

/** One test is enough to make a call again. */
function wantedOf(entry: string, deps: ViewDeps): readonly { readonly test: TestRef; readonly key: Key }[] {
  const [test] = testsOf({ entry }, deps);
  const key = deps.index.keyOf(entry);
  return test && key ? [{ test, key }] : [];
}

async function run(requests: readonly RecordRequest[], asked: number, { session }: ViewDeps): Promise<void> {
  if (requests.length === 0 && asked > 0) {
    void sayInformation(
      "No test is known to make this call, so it cannot be made again from here. Run what makes it in record mode.",
    );
  }
  for (const request of requests)
    await vscode.commands.executeCommand(COMMANDS.recordTest, ...addressArguments([request], session.tag));
}
