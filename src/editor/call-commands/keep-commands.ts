import { explain } from "../../core/errors.ts";
import type { RemovedRecording } from "../../core/cassette/store.ts";
import { unusedText } from "../../storage/check/findings.ts";
import { COMMANDS, VIEWS, type CommandTable } from "../window/ids.ts";
import { entriesOf } from "./command-targets.ts";
import type { Undoable } from "./undo-model.ts";
import type { ViewDeps } from "./view-deps.ts";
import { flashStatus, sayError, sayInformation, showProgress } from "../window/messages.ts";
import { countText, plural } from "../../core/plural.ts";
import { testsOf } from "../documents/show-call.ts";
import { callTitle } from "../documents/document-uri-model.ts";
import { pickMany } from "../window/picks.ts";

/** Commands that decide what stays: accept, discard, delete, and undo. */
export function keepCommands(deps: ViewDeps) {
  const { session } = deps;
  const isNew = (entry: string): boolean => session.state.candidates.has(entry);
  const allNew = (): readonly string[] => [...session.state.candidates.keys()];
  return {
    [COMMANDS.accept]: async (...args) => {
      const entries = await entriesOf(args, deps);
      await session.acceptCandidates(entries.filter(isNew));
    },
    [COMMANDS.acceptNew]: () => session.acceptCandidates(allNew()),
    [COMMANDS.discard]: async (...args) => {
      const entries = await entriesOf(args, deps);
      await discard(entries.filter(isNew), deps);
    },
    [COMMANDS.discardNew]: async () => {
      if (allNew().length === 0) return tell("There is no new recording.");
      await discard(await pickSeveral(allNew(), "Discard these new recordings", deps), deps);
    },
    [COMMANDS.delete]: async (...args) => {
      await remove(await entriesOf(args, deps, "Delete a recording"), deps);
    },
    [COMMANDS.deleteGroup]: async (...args) => {
      const entries = await entriesOf(args, deps);
      await remove(await pickSeveral(entries, "Delete these recordings", deps), deps);
    },
    [COMMANDS.deleteUnused]: async () => {
      const unused = await unusedEntries(deps);
      if (unused.size === 0)
        return tell(
          "No recording is known to be unused. Run the tests first: what they no longer ask for is found then.",
        );
      const question = "Delete these recordings, which nobody asks for any more";
      const picked = await pickSeveral([...unused.keys()], question, deps, (entry) => unused.get(entry));
      await remove(picked, deps);
    },
    [COMMANDS.undo]: async () => {
      const step = await deps.undo.undo();
      if (step === undefined) return tell("There is nothing to undo.");
      if (step.undone === undefined) flashStatus("discard", "Undone");
      else tell(step.undone);
    },
  } satisfies Partial<CommandTable>;
}

function tell(message: string): void {
  void sayInformation(message);
}

/** Why each counts as unused. All recordings are read first: their files say which tests made them. */
async function unusedEntries({ index, session }: ViewDeps): Promise<ReadonlyMap<string, string>> {
  const { state } = session;
  index.readAll();
  await showProgress({ where: { viewId: VIEWS.calls } }, () => index.settled());
  const stale = [...(await index.addresses()).keys()].filter((entry) => state.isStale(entry));
  return new Map(
    stale.map((entry) => {
      const unused = state.whyUnused(entry);
      return [entry, unused ? unusedText(unused) : "Its test asks for something else in its place."];
    }),
  );
}

export async function discard(entries: readonly string[], deps: ViewDeps): Promise<void> {
  if (entries.length === 0) return;
  const many = plural(entries.length, "new recording");
  let step: (discarded: number) => void = () => {};
  const taken = await showSteps(`Discarding ${many}`, entries.length, (report) => {
    step = report;
    return deps.session.discardCandidates(entries, (discarded) => step(discarded));
  });
  const undo = (): Promise<void> =>
    showSteps(`Restoring ${many}`, entries.length, (report) => {
      step = (discarded) => report(entries.length - discarded);
      return taken.undo();
    });
  offerUndo({ done: `Discarded ${many}.`, undone: `Restored ${many}.`, undo }, deps);
}

/** Shows how far work on many recordings is; `report` takes how many are done. */
function showSteps<T>(
  title: string,
  total: number,
  work: (report: (done: number) => void) => Promise<T>,
): Promise<T> {
  if (total < MANY) return work(() => {});
  return showProgress({ where: "message", title }, (report) => {
    let shown = 0;
    return work((done) => {
      if (done < total && done - shown < total / 100) return;
      report({
        message: `${countText(done)} of ${countText(total)}`,
        increment: ((done - shown) / total) * 100,
      });
      shown = done;
    });
  });
}

/** Fewer are done before a message could be read. */
const MANY = 50;

/** What was removed before a failure can be taken back too. */
export async function remove(entries: readonly string[], deps: ViewDeps): Promise<void> {
  const { session } = deps;
  const removed: RemovedRecording[] = [];
  let failure: unknown;
  const many = plural(entries.length, "recording");
  await showSteps(`Deleting ${many}`, entries.length, async (report) => {
    for (const entry of entries) {
      try {
        removed.push(await session.deck.store.remove(entry));
      } catch (error) {
        failure = error;
        break;
      }
      report(removed.length);
    }
  });
  const count = plural(removed.length, "recording");
  if (removed.length > 0)
    offerUndo(
      { done: `Deleted ${count}.`, undone: `Restored ${count}.`, undo: () => restore(removed) },
      deps,
    );
  if (failure !== undefined) throw failure;
}

/** Each once, also where one in the middle fails and the person tries again. */
export async function restore(removed: { restore(): Promise<void> }[]): Promise<void> {
  while (removed.length > 0) {
    await removed.at(-1)?.restore();
    removed.pop();
  }
}

/** Says what was done, with a button that takes it back. */
export function offerUndo(step: Undoable, { undo }: Pick<ViewDeps, "undo">): void {
  undo.push(step);
  const offer = async (): Promise<void> => {
    const answer = await sayInformation(step.done, "Undo");
    if (answer !== "Undo" || (await undo.undo(step)) === undefined) return;
    if (step.undone !== undefined) void sayInformation(step.undone);
  };
  offer().catch((error: unknown) => sayError(explain(error)));
}

/** Lets a person take some of these recordings out before something happens to them; empty where they gave up. */
export async function pickSeveral(
  entries: readonly string[],
  question: string,
  deps: ViewDeps,
  about: (entry: string) => string | undefined = () => undefined,
): Promise<readonly string[]> {
  await deps.index.ensure(entries);
  const items = entries.map((entry) => ({
    label: callTitle({ entry }, deps) ?? entry,
    description: testsOf({ entry }, deps)
      .map((test) => test.name.at(-1) ?? test.file)
      .join(", "),
    detail: about(entry) ?? entry,
    picked: true,
    entry,
  }));
  const picked = await pickMany(items, {
    placeholder: question,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.map((item) => item.entry) ?? [];
}
