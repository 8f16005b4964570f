import { COMMANDS, type CommandTable } from "../window/ids.ts";
import { entriesOf, missingOf, targetsOf, withoutUnfocused } from "./command-targets.ts";
import { testsOfEntry } from "../documents/document-actions.ts";
import { earlierUri } from "../documents/all-documents.ts";
import { replacedBy } from "../documents/replaced-model.ts";
import { callTitle, type DocumentSubject } from "../documents/document-uri-model.ts";
import { pickRecording } from "./pick-recording.ts";
import { callUri } from "../documents/uris.ts";
import type { ViewDeps } from "./view-deps.ts";
import { sayInformation, showDifference } from "../window/messages.ts";
import type { CallTarget } from "../calls-tree/call-node-model.ts";

/** What a re-recorded recording said before, or the stale recording of its test that a new one stands in for. */
async function compareWithReplaced(entry: string, deps: ViewDeps): Promise<void> {
  const { session, index } = deps;
  const { state, deck } = session;
  await index.ensure([entry]);
  if (state.candidates.get(entry)?.replaces) {
    const label = callTitle({ entry }, deps);
    const now = callUri({ entry }, "conversation", deps);
    const title = `${label ?? "recording"}: before ↔ re-recorded`;
    await showDifference(earlierUri(session, entry, label), now, title);
    return;
  }
  index.readAll();
  await index.settled();
  const replaced = await replacedBy(entry, {
    state,
    entries: (await index.addresses()).keys(),
    testsOf: (other) => testsOfEntry(other, deps),
    read: (other) => deck.store.read(other),
    compare: (recorded, asked) => deck.compare(recorded, asked),
  });
  if (replaced === undefined)
    void sayInformation(
      "This recording replaces none: its test left no other behind that it no longer asks for.",
    );
  else await compare({ entry: replaced }, { entry }, deps);
}

export function compareCommands(deps: ViewDeps) {
  return {
    [COMMANDS.compareRecordings]: async (...args) => {
      const targets = targetsOf(withoutUnfocused(args), deps);
      const first = targets[0] ?? (await pick(deps, "Compare a recording …"));
      if (first === undefined) return;
      const second =
        targets[1] ?? (await pick(deps, `Compare ${callTitle(first, deps) ?? "it"} with …`, first));
      if (second) await compare(first, second, deps);
    },
    [COMMANDS.compareWithReplaced]: async (...args) => {
      const [entry] = await entriesOf(args, deps, "Compare a new recording with what it replaces");
      if (entry !== undefined) await compareWithReplaced(entry, deps);
    },
    [COMMANDS.compareWithNearest]: async (...args) => {
      const [call] = await missingOf(args, deps, "Compare a missing call with the nearest recording");
      if (call === undefined) return;
      const { nearest } = call.miss;
      const departs = nearest?.departure && ` · first at ${nearest.departure.place}`;
      if (nearest) await compare({ entry: nearest.entry }, { finding: call.id }, deps, departs);
      else void sayInformation("Nothing of this kind is recorded yet, so there is no nearest recording.");
    },
  } satisfies Partial<CommandTable>;
}

async function pick(
  deps: ViewDeps,
  placeholder: string,
  except?: CallTarget,
): Promise<CallTarget | undefined> {
  const entry = await pickRecording(deps, {
    placeholder,
    ...(except && "entry" in except && { except: except.entry }),
  });
  return entry === undefined ? undefined : { entry };
}

/** A missing call has no reply: then only what was asked is compared. `note` ends the title. */
async function compare(left: CallTarget, right: CallTarget, deps: ViewDeps, note = ""): Promise<void> {
  for (const target of [left, right]) if ("entry" in target) await deps.index.ensure([target.entry]);
  const part: DocumentSubject["part"] = "finding" in left || "finding" in right ? "request" : "conversation";
  const name = (target: CallTarget): string =>
    "finding" in target
      ? `missing ${callTitle(target, deps) ?? "call"}`
      : (callTitle(target, deps) ?? "recording");
  const title = `${name(left)} ↔ ${name(right)}${note}`;
  await showDifference(callUri(left, part, deps), callUri(right, part, deps), title);
}
