import { createRequire, syncBuiltinESMExports } from "node:module";
import { resolve } from "node:path";
import { localize } from "../core/base/localize.ts";
import { expectMode, type Mode, type TestRef } from "../core/call/call.ts";
import { addReportedValues } from "../core/call/reported-values.ts";
import { ValuePool } from "../core/call/value-pool.ts";
import { createValues } from "../hooks/javascript/values.cjs";
import { findServedRun } from "./served-run.ts";
import { openDeck, type Deck } from "./deck.ts";
import type { DeckOptions } from "./deck-options.ts";

/**
 * Opens a deck for SDKs in this process. From then on, the process's ids, folders, and ports match by origin, as those
 * of processes with hooks do. With no option but `dir`, calls of a run with the folder and mode of the run that started the
 * process belong to that run.
 * @throws TapedeckError for an upstream that is not allowed.
 */
export function openLibraryDeck(options: DeckOptions): Deck {
  const deck = openDeck(options);
  const [createFetch, createRun] = [deck.fetch.bind(deck), deck.createRun.bind(deck)];
  const watched = watchProcess();
  const isPlain = Object.keys(options).every((name) => name === "dir");
  let served: ReturnType<typeof findServedRun> | undefined;
  // The mode of a command or of VS Code is not that of this deck.
  const howToRecord = localize(
    'To record it, make the call in a run that records: deck.createRun("record").',
  );
  return Object.assign(deck, {
    createRun: (mode: Mode, ...test: [TestRef?]) => ({
      ...createRun(expectMode(mode), ...test),
      howToRecord,
    }),
    fetch(run: Parameters<Deck["fetch"]>[0]): typeof globalThis.fetch {
      run.values ??= watched.pool;
      const answer = createFetch(run);
      return async (...request: Parameters<typeof answer>) => {
        const around = isPlain ? await (served ??= findServedRun(resolve(options.dir))) : undefined;
        if (around?.mode === run.mode) return around.answer(new Request(...request));
        addReportedValues(watched.report(), { values: watched.pool });
        return answer(...request);
      };
    },
  });
}

interface WatchedProcess {
  /** Values that the process made up. Its runs share them, because nothing shows which run a value is for. */
  readonly pool: ValuePool;
  /** Returns the values since the last report. */
  report(): string;
}

/** A property of Node's own module, because jest runs each test file with its own copy of this module. */
const WATCHED = Symbol.for("tapedeck.values");

/** Notes the values that the process makes up. Values of a file that copied a function of Node earlier are not noted. */
export function watchProcess(): WatchedProcess {
  const load = createRequire(import.meta.url);
  const crypto = load("node:crypto") as { [WATCHED]?: WatchedProcess };
  if (crypto[WATCHED] !== undefined) return crypto[WATCHED];
  const values = createValues();
  const { patches } = values;
  patches.crypto(crypto);
  patches.fs(load("node:fs"));
  patches.net(load("node:net"));
  syncBuiltinESMExports();
  return (crypto[WATCHED] = { pool: new ValuePool(), report: () => values.take() });
}
