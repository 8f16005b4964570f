import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import { writeFacet } from "../calls/call-filter-model.ts";
import { listMissingCalls } from "../findings/findings-model.ts";
import { COMMANDS, type CommandTable, addTagToArguments } from "../window/ids.ts";
import { showInformation } from "../window/messages.ts";
import type { CodeDeps } from "./test-files.ts";
import { type TestPlace, findTestPlace, formatPlace } from "./test-place.ts";
import { type CallState, createKnownRecordings, computeFileState } from "./test-state-model.ts";
import { isAddress, readTestTarget, readTestTargets } from "./test-target-model.ts";
import type { TestRef } from "../../core/call/call.ts";
import { getTestId } from "../../core/call/test-names.ts";
import { readTargets, type TestCalls, type TimelineTarget } from "../calls/call-node-model.ts";
import { listTestsOfEntry } from "../documents/document-actions.ts";
import { pickTest } from "../documents/show-call.ts";
import { readTimeline } from "../documents/document-uri-model.ts";
import { createDocumentUri } from "../documents/uris.ts";

/** Commands that show the missing calls of a test, or all its calls in the Calls view. */
export function createShowCallsCommands(
  deps: CodeDeps,
  base: Pick<CommandTable, (typeof COMMANDS)["goToMissing"]>,
) {
  const { tag } = deps.session;
  const showInView = ({ file, test }: TestPlace): Thenable<unknown> => {
    const filter = writeFacet("test", test?.path.at(-1) ?? file);
    return vscode.commands.executeCommand(COMMANDS.filterCalls, ...addTagToArguments([filter], tag));
  };
  return {
    [COMMANDS.goToMissing]: async (...args) => {
      const [from] = readTestTargets(args);
      if (from?.from !== "item") return base[COMMANDS.goToMissing](...args);
      const { place, state } = await callsAt(args, deps);
      const missing = listMissingCalls(state.findings);
      if (missing.length > 0) return base[COMMANDS.goToMissing](missing.map(({ id }) => ({ finding: id })));
      const show = localize("Show Recordings");
      const chosen = await showInformation(
        localize(
          "No missing call of {0} is known. Run it once while Tapedeck is on to see its calls.",
          formatPlace(place),
        ),
        ...(state.recordings.length > 0 ? [show] : []),
      );
      return chosen === show ? showInView(place) : undefined;
    },
    [COMMANDS.showCalls]: async (...args) => showInView(await placeAt(args, deps)),
  } satisfies Partial<CommandTable>;
}

function placeAt(args: readonly unknown[], deps: CodeDeps): Promise<TestPlace> {
  const [from = { from: "cursor" }] = readTestTargets(args);
  return findTestPlace(from, deps);
}

async function callsAt(
  args: readonly unknown[],
  deps: CodeDeps,
): Promise<{ readonly place: TestPlace; readonly state: CallState }> {
  const place = await placeAt(args, deps);
  const { session, index } = deps;
  // Recordings contain the name of their test.
  index.readAll();
  await index.settled();
  const recordings = createKnownRecordings(session, index).of(place.file);
  const { findings, runs } = session.state;
  const file = computeFileState(place.tests, place.file, { recordings, findings, runs });
  const own = place.test && file.tests.find(({ test }) => test === place.test);
  return { place, state: own ?? file };
}

export function createTimelineCommands(deps: CodeDeps) {
  const show = (timeline: TimelineTarget["timeline"]): Promise<void> => openDocument({ timeline }, deps);
  return {
    [COMMANDS.showTimeline]: async (...args) => {
      const [given] = args;
      if (typeof given === "string") return show({ run: given, which: "run" });
      const known = readTimeline(given);
      if (known) return show(known.timeline);
      const [from = { from: "cursor" }] = readTestTargets(args);
      // The menu of a source file passes its address and refers to the test at the cursor.
      if (from.from === "cursor" && !isAddress(given)) return show({ which: "run" });
      // A test in the tree may no longer be in its file, but its calls are known.
      if (from.from === "call") {
        const { file, name } = from.target.test;
        return show({ test: { file, name }, which: "run" });
      }
      const { file, test } = await findTestPlace(from, deps);
      return show({ test: { file, name: test?.path ?? [] }, which: "run" });
    },
  } satisfies Partial<CommandTable>;
}

/** A command that opens all calls of a test as one conversation. */
export function createReadTestCommands(deps: CodeDeps) {
  return {
    [COMMANDS.readTest]: async (...args) => {
      const tests = await testsOfArguments(args, deps);
      const test = tests.length > 1 ? await pickTest(tests, localize("Select a test")) : tests[0];
      if (test) return openDocument({ test: { file: test.file, name: test.name } }, deps);
      if (tests.length === 0)
        void showInformation(localize("This test has no recordings. Record it to see its calls here."));
    },
  } satisfies Partial<CommandTable>;
}

/** Returns the tests of a command's arguments: a line of the tree, a recording, or a place in a file. */
async function testsOfArguments(args: readonly unknown[], deps: CodeDeps): Promise<readonly TestRef[]> {
  const from = readTestTarget(args[0]);
  if (from.from === "call" && from.target.test.name.length > 0) return [from.target.test];
  const [call] = from.from === "cursor" ? readTargets(args) : [];
  if (call && "entry" in call) {
    await deps.index.ensure([call.entry]);
    return listTestsOfEntry(call.entry, deps);
  }
  const { place, state } = await callsAt(args, deps);
  const tests = state.recordings.flatMap((one) => one.tests).filter(({ file }) => file === place.file);
  return [...new Map(tests.map((test) => [getTestId(test), test])).values()];
}

async function openDocument(of: TestCalls | TimelineTarget, { session }: CodeDeps): Promise<void> {
  await vscode.window.showTextDocument(createDocumentUri(session, { of, part: "all" }), { preview: true });
}
