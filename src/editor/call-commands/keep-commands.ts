import type { RemovedRecording } from "../../core/cassette/store.ts";
import { unusedText } from "../../storage/check/findings.ts";
import { COMMANDS, type CommandTable, VIEWS } from "../window/ids.ts";
import { type CallTarget, chosenOf, isNode, targetsFromArguments } from "../calls/call-node-model.ts";
import { type ViewDeps, drawnAnew, entriesOf, targetsOf } from "./command-targets.ts";
import { dismiss, offerUndo, restore } from "./offer-undo.ts";
import { flashStatus, sayInformation, showProgress } from "../window/messages.ts";
import { countText, plural } from "../../core/base/plural.ts";
import { testsOf } from "../documents/show-call.ts";
import { callTitle } from "../documents/document-uri-model.ts";
import { pickMany } from "../window/picks.ts";

/** Commands that decide what stays: accept, discard, delete, and undo. */
export function keepCommands(deps: ViewDeps) {
  const { session } = deps;
  return {
    [COMMANDS.accept]: (...args) => session.recordings.accept(newOf(args, deps)),
    [COMMANDS.discard]: async (...args) => {
      const entries = newOf(args, deps);
      if (entries.length === 0) return tell("There is no new recording.");
      const isNamed = targetsFromArguments(args).length > 0;
      await discard(
        isNamed ? entries : await pickSeveral(entries, "Discard these new recordings", deps),
        deps,
      );
    },
    [COMMANDS.delete]: (...args) => deleteChosen(args, deps),
    [COMMANDS.deleteUnused]: async () => {
      const unused = await unusedEntries(deps);
      if (unused.size === 0)
        return tell(
          "No recording is known to be unused. Run the tests first: what they no longer ask for is found then.",
        );
      const question = "Delete these unused recordings";
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

/** Dismisses findings, discards new recordings, and deletes others; of a group a person picks which. */
async function deleteChosen(args: readonly unknown[], deps: ViewDeps): Promise<void> {
  const { session } = deps;
  const given = targetsOf(args, deps);
  dismiss(
    given.flatMap((one) => ("finding" in one ? one.finding : [])),
    deps,
  );
  if (!session.trusted) return;
  const entries = given.length > 0 ? entriesIn(given) : await entriesOf(args, deps, "Delete a recording");
  const isGroup = chosenOf(args).some((one) => isNode(one) && /^(?:group|section)$/u.test(one.subject.kind));
  const chosen = isGroup ? await pickSeveral(entries, "Delete these recordings", deps) : entries;
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

const entriesIn = (targets: readonly CallTarget[]): readonly string[] =>
  targets.flatMap((one) => ("entry" in one ? one.entry : []));

/** The new recordings among the arguments; all of them where there are no arguments. */
function newOf(args: readonly unknown[], { session, view }: ViewDeps): readonly string[] {
  const { candidates } = session.state;
  const given = targetsFromArguments(args, (node) => view.current(node));
  // Better nothing than something else than the person pressed.
  if (given.length === 0 && args.length > 0) throw drawnAnew();
  return given.length === 0
    ? [...candidates.keys()]
    : entriesIn(given).filter((entry) => candidates.has(entry));
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

async function discard(entries: readonly string[], deps: ViewDeps): Promise<void> {
  if (entries.length === 0) return;
  const many = plural(entries.length, "new recording");
  let step: (discarded: number) => void = () => {};
  const taken = await showSteps(`Discarding ${many}`, entries.length, (report) => {
    step = report;
    return deps.session.recordings.discard(entries, (discarded) => step(discarded));
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
async function remove(entries: readonly string[], deps: ViewDeps): Promise<void> {
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

/** Lets a person take some of these recordings out before something happens to them; empty where they gave up. */
async function pickSeveral(
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
