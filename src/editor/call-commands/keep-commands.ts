import { joinList, localize } from "../../core/base/localize.ts";
import { readCachedEntry } from "../../core/cassette/cached-ref.ts";
import { describeUnused } from "../../storage/check/finding-texts.ts";
import { COMMANDS, type CommandTable, VIEWS } from "../window/ids.ts";
import { readChosen, isNode, readTargets } from "../calls/call-node-model.ts";
import {
  type ViewDeps,
  chooseTargets,
  createDrawnAnewError,
  listEntries,
  listTargets,
} from "./command-targets.ts";
import { dismiss, offerUndo, restore } from "./offer-undo.ts";
import { flashStatus, showInformation, showProgress } from "../window/messages.ts";
import { localizeCount } from "../../core/base/plural.ts";
import { listTestsOfTarget } from "../documents/show-call.ts";
import { getCallTitle } from "../documents/document-uri-model.ts";
import { pickMany } from "../window/picks.ts";

/** The commands accept, discard, delete, and undo. */
export function createKeepCommands(deps: ViewDeps) {
  const { session } = deps;
  return {
    [COMMANDS.accept]: (...args) => session.recordings.accept(newOf(args, deps)),
    [COMMANDS.discard]: async (...args) => {
      const entries = newOf(args, deps);
      if (entries.length === 0) return showMessage(localize("There are no new recordings."));
      const isNamed = readTargets(args).length > 0;
      await discard(
        isNamed ? entries : await pickSeveral(entries, localize("Select new recordings to discard"), deps),
        deps,
      );
    },
    [COMMANDS.delete]: (...args) => deleteChosen(args, deps),
    [COMMANDS.deleteUnused]: async () => {
      const unused = await unusedEntries(deps);
      if (unused.size === 0) return showMessage(localize("No unused recordings found. Run all tests first."));
      const question = localize("Select unused recordings to delete");
      const picked = await pickSeveral([...unused.keys()], question, deps, (entry) => unused.get(entry));
      await remove(picked, deps);
    },
    [COMMANDS.undo]: async () => {
      const step = await deps.undo.undo();
      if (step === undefined) return showMessage(localize("There is nothing to undo."));
      if (step.undone === undefined) flashStatus("discard", localize("Undone"));
      else showMessage(step.undone);
    },
  } satisfies Partial<CommandTable>;
}

/** Dismisses findings, discards new recordings, and deletes others. For a group, the person picks which. */
async function deleteChosen(args: readonly unknown[], deps: ViewDeps): Promise<void> {
  const { session } = deps;
  dismiss(listTargets(args, deps), deps);
  if (!session.trusted) return;
  const rows = readChosen(args).filter(isNode);
  const entries = listEntries(await chooseTargets(args, deps, localize("Select a recording to delete")));
  const isGroup = entries.length > 0 && rows.some(({ subject }) => /^(?:group|section)$/u.test(subject.kind));
  const chosen = isGroup
    ? await pickSeveral(entries, localize("Select recordings to delete"), deps)
    : entries;
  const { candidates } = session.state;
  await discard(
    chosen.filter((entry) => candidates.has(entry)),
    deps,
  );
  await remove(
    chosen.filter((entry) => !candidates.has(entry)),
    deps,
  );
}

/** Returns the new recordings among the arguments; without arguments, all of them. */
function newOf(args: readonly unknown[], { session, view }: ViewDeps): readonly string[] {
  const { candidates } = session.state;
  const given = readTargets(args, view.current);
  // Better nothing than something else than the person pressed.
  if (given.length === 0 && args.length > 0) throw createDrawnAnewError();
  return given.length === 0
    ? [...candidates.keys()]
    : listEntries(given).filter((entry) => candidates.has(entry));
}

function showMessage(message: string): void {
  void showInformation(message);
}

/** Returns the unused recordings with the reasons. Reads all recordings first, because their files name their tests. */
async function unusedEntries({ index, session }: ViewDeps): Promise<ReadonlyMap<string, string>> {
  const { state } = session;
  index.readAll();
  await showProgress({ where: { viewId: VIEWS.calls } }, () => index.settled());
  const stale = [...(await index.addresses()).keys()].filter((entry) => state.usage.isStale(entry));
  return new Map(
    stale.map((entry) => {
      const unused = state.usage.whyUnused(entry);
      return [entry, unused ? describeUnused(unused) : localize("Its test makes a different call now.")];
    }),
  );
}

async function discard(entries: readonly string[], deps: ViewDeps): Promise<void> {
  if (entries.length === 0) return;
  const count = entries.length;
  const discarding = localizeCount(count, "Discarding {0} new recording", "Discarding {0} new recordings");
  const restoring = localizeCount(count, "Restoring {0} new recording", "Restoring {0} new recordings");
  const taken = await showWork(discarding, count, () => deps.session.recordings.discard(entries));
  const undo = (): Promise<void> => showWork(restoring, count, () => taken.undo());
  const done = localizeCount(count, "Discarded {0} new recording.", "Discarded {0} new recordings.");
  const undone = localizeCount(count, "Restored {0} new recording.", "Restored {0} new recordings.");
  offerUndo({ done, undone, undo }, deps);
}

/** Shows that many recordings are worked on. */
function showWork<T>(title: string, total: number, work: () => Promise<T>): Promise<T> {
  return total < MANY ? work() : showProgress({ where: "message", title }, work);
}

/** Fewer recordings are finished before anybody could read a message. */
const MANY = 50;

/** Recordings that were deleted before a failure can be restored, too. */
async function remove(entries: readonly string[], deps: ViewDeps): Promise<void> {
  const { session, caches } = deps;
  const removed: { restore(): Promise<void> }[] = [];
  let failure: unknown;
  const title = localizeCount(entries.length, "Deleting {0} recording", "Deleting {0} recordings");
  await showWork(title, entries.length, async () => {
    for (const entry of entries) {
      try {
        const cached = readCachedEntry(entry);
        removed.push(await (cached ? caches.remove(cached) : session.deck.store.remove(entry)));
      } catch (error) {
        failure = error;
        break;
      }
    }
  });
  const done = localizeCount(removed.length, "Deleted {0} recording.", "Deleted {0} recordings.");
  const undone = localizeCount(removed.length, "Restored {0} recording.", "Restored {0} recordings.");
  const undo = (): Promise<void> => {
    for (const entry of entries) session.state.usage.restored(entry);
    return restore(removed);
  };
  if (removed.length > 0) offerUndo({ done, undone, undo }, deps);
  if (failure !== undefined) throw failure;
}

/** Lets a person deselect some of these recordings; empty if they cancel. */
async function pickSeveral(
  entries: readonly string[],
  question: string,
  deps: ViewDeps,
  about: (entry: string) => string | undefined = () => undefined,
): Promise<readonly string[]> {
  await deps.index.ensure(entries);
  const items = entries.map((entry) => ({
    label: getCallTitle({ entry }, deps) ?? entry,
    description: joinList(listTestsOfTarget({ entry }, deps).map((test) => test.name.at(-1) ?? test.file)),
    detail: about(entry) ?? entry,
    picked: true,
    entry,
  }));
  const picked = await pickMany(items, { placeholder: question });
  return picked?.map((item) => item.entry) ?? [];
}
