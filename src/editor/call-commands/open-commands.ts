import { localize } from "../../core/base/localize.ts";
import {
  type ViewDeps,
  chooseEntries,
  chooseMissing,
  chooseOneTarget,
  pickMissing,
  chooseTargets,
  withoutUnfocused,
} from "./command-targets.ts";
import { pickRecording } from "./pick-recording.ts";
import { showCall, showFile, showTest, listTestsOfTarget } from "../documents/show-call.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import { sayInformation, showDifference } from "../window/messages.ts";
import { createEarlierUri } from "../documents/documents.ts";
import { type DocumentSubject, getCallTitle } from "../documents/document-uri-model.ts";
import { createCallUri } from "../documents/uris.ts";
import type { CallTarget } from "../calls/call-node-model.ts";

/** Commands that show a call, its file, or its test. */
export function createOpenCommands(deps: ViewDeps) {
  return {
    [COMMANDS.openCall]: async (...args) => {
      const placeholder = localize("Words of a prompt, a reply, a model, or a test");
      const given = withoutUnfocused(args);
      const [target] = given.length > 0 ? chooseTargets(given, deps) : [];
      const entry = target === undefined ? await pickRecording(deps, { placeholder }) : undefined;
      const shown = target ?? (entry === undefined ? undefined : { entry });
      if (shown) await showCall(shown, deps);
    },
    [COMMANDS.openFile]: async (...args) => {
      for (const entry of await chooseEntries(args, deps, localize("Select a recording to open its file"))) {
        await deps.index.ensure([entry]);
        const facts = deps.index.facts(entry);
        await showFile(entry, deps, facts?.kind === "broken" ? facts : undefined);
      }
    },
    [COMMANDS.goToTest]: async (...args) => {
      const [target] = await chooseOneTarget(args, deps, localize("Select a recording to go to its test"));
      if (target === undefined) return;
      if ("entry" in target) await deps.index.ensure([target.entry]);
      const tests = listTestsOfTarget(target, deps);
      if (tests.length > 0) await showTest(tests, deps);
      else void sayInformation(localize("No known test makes this call."));
    },
    [COMMANDS.goToMissing]: async (...args) => {
      const question = localize("Select a missing call");
      const calls = await chooseMissing(withoutUnfocused(args), deps, question);
      const call = calls.length > 1 ? await pickMissing(calls, question) : calls[0];
      if (call === undefined) return;
      await showCall({ finding: call.id }, deps);
      if (deps.view.visible) await deps.view.reveal({ finding: call.id });
    },
  } satisfies Partial<CommandTable>;
}

/** Compares two calls: the selected ones, or one call and its nearest or replaced recording. */
export function createCompareCommands(deps: ViewDeps) {
  return {
    [COMMANDS.compareRecordings]: async (...args) => {
      const [given, other] = chooseTargets(withoutUnfocused(args), deps);
      const first = given ?? (await pick(deps, localize("Select a recording to compare")));
      if (first === undefined) return;
      if (other) return compare(first, other, deps);
      if ("finding" in first) return compareWithNearest(first, deps);
      if (await compareWithReplaced(first.entry, deps)) return;
      const second = await pick(deps, localize("Select the recording to compare it with"), first.entry);
      if (second) await compare(first, second, deps);
    },
  } satisfies Partial<CommandTable>;
}

type Finding = Extract<CallTarget, { finding: string }>;

async function compareWithNearest(target: Finding, deps: ViewDeps): Promise<void> {
  const nearest = deps.documents.missing(target.finding)?.miss.nearest;
  if (nearest === undefined) {
    void sayInformation(localize("There is no similar recording yet."));
    return;
  }
  await compare({ entry: nearest.entry }, target, deps);
}

/** Compares a new recording with the reply that it replaced; false if it replaced none. */
async function compareWithReplaced(entry: string, deps: ViewDeps): Promise<boolean> {
  const { session, index } = deps;
  if (session.state.candidates.get(entry)?.replaces !== true) return false;
  await index.ensure([entry]);
  const label = getCallTitle({ entry }, deps);
  const now = createCallUri({ entry }, "conversation", deps);
  const title = localize("{0}: before ↔ re-recorded", label ?? localize("Recording"));
  await showDifference(createEarlierUri(session, entry, label), now, title);
  return true;
}

async function pick(deps: ViewDeps, placeholder: string, except?: string): Promise<CallTarget | undefined> {
  const entry = await pickRecording(deps, { placeholder, ...(except !== undefined && { except }) });
  return entry === undefined ? undefined : { entry };
}

/** Compares only the requests if one of the calls is missing. */
async function compare(left: CallTarget, right: CallTarget, deps: ViewDeps): Promise<void> {
  for (const target of [left, right]) if ("entry" in target) await deps.index.ensure([target.entry]);
  const part: DocumentSubject["part"] = "finding" in left || "finding" in right ? "request" : "conversation";
  const name = (target: CallTarget): string =>
    "finding" in target
      ? localize("missing {0}", getCallTitle(target, deps) ?? "")
      : (getCallTitle(target, deps) ?? localize("Recording"));
  const title = `${name(left)} ↔ ${name(right)}`;
  await showDifference(createCallUri(left, part, deps), createCallUri(right, part, deps), title);
}
