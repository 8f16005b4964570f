import type { Normalizer } from "../core/match/key/key.ts";
import type { WatchedStore } from "../core/cassette/store.ts";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import type { RecordingAddress } from "../core/cassette/recording.ts";
import { readOwnUpstreams } from "../core/protocol/own-upstreams.ts";
import { expectMode, type Mode, type TestRef } from "../core/call/call.ts";
import type { Deck } from "../deck/deck.ts";
import { openLibraryDeck, watchProcess } from "../deck/library-deck.ts";
import type { DeckOptions } from "../deck/deck-options.ts";
import { findServedRun, type ServedRun } from "../deck/served-run.ts";
import { remoteOfEnvironment, withTeam } from "../deck/team.ts";
import { createFolderStore } from "../storage/folder/folder-store.ts";
import { expectNoLinkOut, findProject } from "../storage/inside.ts";
import { createStagingStore } from "../storage/staging-store.ts";

// Test files load their own modules after this one.
watchProcess();

const HOW_TO_RECORD = "To record it, set the variable TAPEDECK_MODE to record, and run the test again.";

/** How the calls of tests are answered. `remote` is by default the cache that the environment names. */
export interface TapeOptions extends Omit<Partial<DeckOptions>, "store"> {
  /** The cassette folder. Default: ".tapedeck" of the nearest project, from the working directory up to the repository. */
  readonly dir?: string;
  /** Default: the variable TAPEDECK_MODE, else the mode of the run that started the test, else "strict". */
  readonly mode?: Mode;
}

/**
 * A test's fixture. Recordings answer the test's calls. New recordings are kept if the test passes. In a run of Tapedeck,
 * its server answers the calls, and new recordings are those of the run.
 */
export interface Tape {
  readonly mode: Mode;
  /** For SDKs: `new OpenAI({ fetch: tapedeck.fetch })`. */
  readonly fetch: typeof globalThis.fetch;
  /** The error texts of this test's misses. */
  readonly misses: readonly string[];
  /** New recordings of this test that are not kept yet. */
  readonly candidates: readonly RecordingAddress[];
}

export interface OpenTape {
  readonly tape: Tape;
  /**
   * Ends the test. New recordings are kept if it passed, and discarded otherwise.
   * @throws Error if the test passed although it had misses, or replies with a secret that the project's "fail" forbids. The
   * error has the text of each
   */
  readonly end: (outcome: "passed" | "failed") => Promise<void>;
}

/** Begins a test. Nothing is read or written before its first call. @throws TapedeckError `tapedeck_usage` for a mode that is none */
export async function openTape(test: TestRef, options: TapeOptions = {}): Promise<OpenTape> {
  const { dir, mode: _, ...rest } = options;
  const mode = modeOf(options);
  const project = findProject(process.cwd());
  const folder = resolve(dir ?? join(project, ".tapedeck"));
  if (dir === undefined) expectNoLinkOut(folder, project, 'Give dir: ".tapedeck" if that is meant.');
  const served = Object.keys(rest).length > 0 ? undefined : await findServedRun(folder);
  const isOfRun = served !== undefined && (mode ?? served.mode) === served.mode;
  return isOfRun ? openServedTape(served) : openOwnTape(test, folder, { ...rest, mode: mode ?? "strict" });
}

function openServedTape({ mode, answer }: ServedRun): OpenTape {
  const misses: string[] = [];
  return {
    tape: {
      mode,
      fetch: (input, init) => answer(new Request(input, init), (message) => misses.push(message)),
      get misses() {
        return [...misses];
      },
      candidates: [],
    },
    async end(outcome) {
      failPassed(outcome, misses);
    },
  };
}

function openOwnTape(
  test: TestRef,
  folder: string,
  { mode, remote, team: wantsTeam, ...rest }: TapeOptions & { readonly mode: Mode },
): OpenTape {
  const below = storeOf(folder, { remote, wantsTeam, mode, deckOf: () => deck });
  const store = createStagingStore(below.store);
  // In CI a mode in a file must not allow paid calls. A variable is part of the command, so it can.
  const isSaid = process.env["TAPEDECK_MODE"] === mode;
  const deck = openLibraryDeck({
    dir: folder,
    ownUpstreams: readOwnUpstreams(process.env),
    ...(isSaid && { beforePaidCall: async () => undefined }),
    ...rest,
    store,
    fetchMissing: below.fetchMissing,
  });
  const [misses, refused]: [string[], string[]] = [[], []];
  deck.engine.onCall(({ miss, failsRun, reason, hint }) => {
    if (miss) misses.push(miss.message);
    if (failsRun === true) refused.push([reason, hint].filter((text) => text !== undefined).join(" "));
  });
  deck.onNotice(({ level, message }) => level !== "info" && warn(message));
  return {
    tape: {
      mode,
      fetch: deck.fetch({ ...deck.createRun(mode, test), howToRecord: HOW_TO_RECORD }),
      get misses() {
        return [...misses];
      },
      get candidates() {
        return store.staged;
      },
    },
    async end(outcome) {
      const isKept = outcome === "passed" && misses.length + refused.length === 0;
      if (isKept) await store.promote();
      store.discard();
      await Promise.all([deck.close(), below.leave()]);
      failPassed(outcome, [...misses, ...refused]);
    },
  };
}

function failPassed(outcome: "passed" | "failed", failures: readonly string[]): void {
  if (outcome === "passed" && failures.length > 0) throw new Error([...new Set(failures)].join("\n"));
}

/** Caches that tests of this process found dead: else each test would find that out, and wait for it. */
const dead = new Set<DeckOptions["remote"] | string>();

interface TapeSettings {
  readonly remote: DeckOptions["remote"];
  readonly wantsTeam: boolean | undefined;
  readonly mode: Mode;
  /** The deck over the store, which has the rules of the project. */
  readonly deckOf: () => Deck;
}

/** The recordings of a folder and of its team. */
function storeOf(
  dir: string,
  { remote, wantsTeam = true, mode, deckOf }: TapeSettings,
): Pick<DeckOptions, "fetchMissing"> & {
  readonly store: WatchedStore;
  readonly leave: () => Promise<void>;
} {
  const cache = remote ?? process.env["TAPEDECK_REMOTE"];
  const normalizer = (): Normalizer | undefined => deckOf().project.current.normalizer;
  const isAsked = mode !== "live" && !dead.has(cache);
  const { store, team } = withTeam({
    dir,
    folder: createFolderStore(dir, { normalizer }),
    normalizer,
    remote: isAsked ? (remote ?? remoteOfEnvironment(process.env)) : undefined,
    wantsTeam,
    warn,
    admit: (recording) => deckOf().admit(recording),
  });
  return {
    store,
    fetchMissing: team?.fetchMissing,
    async leave() {
      if (team?.trouble() !== undefined) dead.add(cache);
      await team?.close();
    },
  };
}

/** Prints a problem that does not fail the test: a reply that was not recorded, or a project file that cannot be read. */
function warn(message: string): void {
  process.emitWarning(message, "TapedeckWarning");
}

function modeOf({ mode }: TapeOptions): Mode | undefined {
  // Programs without types may give any text.
  if (mode !== undefined) return expectMode(mode);
  const variable = process.env["TAPEDECK_MODE"];
  return variable === undefined || variable === "" ? undefined : expectMode(variable);
}

/** A test's name in recordings: its file from the project, with "/" between segments. */
export function createTestRef(file: string | undefined, name: readonly string[], runner: string): TestRef {
  const path =
    file === undefined || !isAbsolute(file) ? (file ?? "") : relative(findProject(process.cwd()), file);
  return { file: path.split(sep).join("/"), name, runner };
}

export async function withTape<T>(
  test: TestRef,
  options: TapeOptions | undefined,
  body: (tape: Tape) => T | Promise<T>,
): Promise<T> {
  const { tape, end } = await openTape(test, options);
  let result: T;
  try {
    result = await body(tape);
  } catch (error) {
    await end("failed");
    throw error;
  }
  await end("passed");
  return result;
}
