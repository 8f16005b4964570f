import * as vscode from "vscode";
import { facetText } from "../calls/call-filter-model.ts";
import { missingCalls } from "../findings/findings-model.ts";
import { addressArguments } from "../window/addressed-model.ts";
import { type CommandTable, COMMANDS } from "../window/ids.ts";
import { sayInformation } from "../window/messages.ts";
import type { CodeDeps } from "./code-deps.ts";
import { createKnownRecordings } from "./known-recordings.ts";
import { placeOf, placeTitle, type Place } from "./test-place.ts";
import { fileState, type CallState } from "./test-states-model.ts";
import { testTargetsFrom } from "./test-target-model.ts";

/** From a test, wherever it is shown, to its calls: the missing ones, or all of them in the Calls view. */
export function showCallsCommands(
  deps: CodeDeps,
  base: Pick<CommandTable, (typeof COMMANDS)["goToMissing"]>,
) {
  const { tag } = deps.session;
  const showInView = ({ file, test }: Place): Thenable<unknown> => {
    const filter = facetText("test", test?.path.at(-1) ?? file);
    return vscode.commands.executeCommand(COMMANDS.filterCalls, ...addressArguments([filter], tag));
  };
  return {
    [COMMANDS.goToMissing]: async (...args) => {
      const [from] = testTargetsFrom(args);
      if (from?.from !== "item") return base[COMMANDS.goToMissing](...args);
      const { place, state } = await callsAt(args, deps);
      const missing = missingCalls(state.findings);
      if (missing.length > 0) return base[COMMANDS.goToMissing](missing.map(({ id }) => ({ finding: id })));
      const show = "Show Its Recordings";
      const chosen = await sayInformation(
        `No call of ${placeTitle(place)} is known to be missing. Run it once with Tapedeck on, then its calls are known.`,
        ...(state.recordings.length > 0 ? [show] : []),
      );
      return chosen === show ? showInView(place) : undefined;
    },
    [COMMANDS.showCalls]: async (...args) => showInView(await placeAt(args, deps)),
  } satisfies Partial<CommandTable>;
}

function placeAt(args: readonly unknown[], deps: CodeDeps): Promise<Place> {
  const [from = { from: "cursor" }] = testTargetsFrom(args);
  return placeOf(from, deps);
}

/** The calls of a place in the code. */
export async function callsAt(
  args: readonly unknown[],
  deps: CodeDeps,
): Promise<{ readonly place: Place; readonly state: CallState }> {
  const place = await placeAt(args, deps);
  const { session, index } = deps;
  // The test that made a recording is in its file.
  index.readAll();
  await index.settled();
  const recordings = createKnownRecordings(session, index).of(place.file);
  const { findings, runs } = session.state;
  const file = fileState(place.tests, place.file, { recordings, findings, runs });
  const own = place.test && file.tests.find(({ test }) => test === place.test);
  return { place, state: own ?? file };
}
