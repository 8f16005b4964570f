import * as vscode from "vscode";
import type { TestRef } from "../../core/call.ts";
import { readEntry } from "../../core/cassette/address.ts";
import { inOrderOfAsking } from "../../core/conversation/asked-order.ts";
import { addressArguments } from "../window/addressed-model.ts";
import { type CommandTable, COMMANDS } from "../window/ids.ts";
import type { CodeDeps } from "./code-deps.ts";
import { createKnownRecordings } from "./known-recordings.ts";
import { placeOf, placeTitle, type Place } from "./test-place.ts";
import { fileState, type CallState, type TestRecording } from "./test-states-model.ts";
import { testTargetsFrom } from "./test-target-model.ts";
import type { PickItem } from "../window/messages-model.ts";
import { sayInformation } from "../window/messages.ts";
import { pickOne } from "../window/picks.ts";
import { isMissingCall, missingCalls, type MissingCall } from "../findings/findings-model.ts";
import type { CallTarget } from "../calls-tree/call-node-model.ts";

/** From a test, wherever it is shown, to its calls: what is missing, and its recordings in the order of use. */
export function showCallsCommands(deps: CodeDeps) {
  return {
    [COMMANDS.goToMissingOfTest]: async (...args) => {
      const { place, state } = await callsAt(args, deps);
      const missing = missingCalls(state.findings);
      if (missing.length === 0) return tellNone(place, state, deps);
      const ids = missing.map(({ id }) => ({ finding: id }));
      return vscode.commands.executeCommand(
        COMMANDS.goToMissing,
        ...addressArguments([ids], deps.session.tag),
      );
    },
    [COMMANDS.showCalls]: async (...args) => {
      const { place, state } = await callsAt(args, deps);
      return pickCall(place, state, deps);
    },
  } satisfies Partial<CommandTable>;
}

interface CallsAt {
  readonly place: Place;
  readonly state: CallState;
}

/** What is known of the calls of a place in the code. */
export async function callsAt(args: readonly unknown[], deps: CodeDeps): Promise<CallsAt> {
  const [from = { from: "cursor" }] = testTargetsFrom(args);
  const place = await placeOf(from, deps);
  const { session, index } = deps;
  // Which test made a recording stands in its file.
  index.readAll();
  await index.settled();
  const recordings = createKnownRecordings(session, index).of(place.file);
  const { findings, runs } = session.state;
  const file = fileState(place.tests, place.file, { recordings, findings, runs });
  const own = place.test && file.tests.find(({ test }) => test === place.test);
  return { place, state: own ?? file };
}

async function tellNone(place: Place, state: CallState, deps: CodeDeps): Promise<void> {
  const show = "Show Its Recordings";
  const chosen = await sayInformation(
    `No call of ${placeTitle(place)} is known to be missing. Run it once with Tapedeck on, then its calls are known.`,
    ...(state.recordings.length > 0 ? [show] : []),
  );
  if (chosen === show) await pickCall(place, state, deps);
}

async function pickCall(place: Place, state: CallState, deps: CodeDeps): Promise<void> {
  const items = [
    ...state.findings.filter(isMissingCall).map((call) => missingItem(call)),
    ...inOrderOfUse(state.recordings, place, deps).map((one) => recordingItem(one, deps)),
  ];
  if (items.length === 0) {
    void sayInformation(
      `No call of ${placeTitle(place)} is known. Run it once with Tapedeck on, then its calls are known.`,
    );
    return;
  }
  const picked = await pickOne(items, {
    title: `Tapedeck: calls of ${placeTitle(place)}, in the order of use`,
    placeholder: "Open a call",
    matchOnDescription: true,
  });
  if (picked)
    await vscode.commands.executeCommand(
      COMMANDS.openCall,
      ...addressArguments([picked.target], deps.session.tag),
    );
}

type CallItem = PickItem & { readonly target: CallTarget };

function missingItem({ id, miss, madeUp }: MissingCall): CallItem {
  return {
    icon: madeUp ? "beaker" : "warning",
    label: miss.label,
    description: `${madeUp ? `made up by ${madeUp.by}` : "missing"} · ${miss.model ?? miss.operation}`,
    target: { finding: id },
  };
}

function recordingItem({ entry, state }: TestRecording, { index, session }: CodeDeps): CallItem {
  const facts = index.facts(entry);
  const known = facts?.kind === "read" ? [`→ ${facts.turn.answered}`, facts.model ?? facts.operation] : [];
  return {
    icon: "circle-outline",
    label: facts?.kind === "read" ? facts.label : (labelOfCall(entry, session) ?? entry),
    description: [...(state === "recorded" ? [] : [state]), ...known].join(" · "),
    target: { entry },
  };
}

/** Of an entry of MetaGPT's cache, which the index does not read. */
function labelOfCall(entry: string, { state }: CodeDeps["session"]): string | undefined {
  return state.calls.findLast((call) => call.entry === entry)?.label;
}

/** As its tests asked for them when they last ran; what was not seen in use comes after, oldest first. */
function inOrderOfUse(
  recordings: readonly TestRecording[],
  { file }: Place,
  { session, index }: CodeDeps,
): readonly TestRecording[] {
  const tests = new Map<string, TestRef>();
  for (const test of recordings.flatMap((one) => one.tests))
    if (test.file === file) tests.set(JSON.stringify(test.name), test);
  const inLine = [...tests.values()].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  const used = [...new Set(inLine.flatMap((test) => session.state.entriesOf(test)))];
  return inOrderOfAsking(recordings, used, ({ entry }) => {
    const address = readEntry(entry);
    const facts = index.facts(entry);
    return {
      entry,
      recordedAt: facts?.kind === "read" ? facts.recordedAt : Infinity,
      key: "key" in address ? address.key : entry,
      take: "take" in address ? address.take : 1,
    };
  });
}
