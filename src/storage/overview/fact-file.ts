import { existsSync } from "node:fs";
import type { RecordingFacts } from "../../core/overview/recording-facts.ts";
import { fieldsOf, listOf } from "../../core/protocol/reading/lenient.ts";
import type { Signature } from "../folder/signature.ts";
import { readLocal, writeLocal } from "../local/local-state.ts";

/** What was read of a recording, as it was found in a state of its file. */
export interface NotedFacts {
  readonly state: Omit<Signature, "settled">;
  readonly facts: RecordingFacts;
}

const NAME = "facts";
/** Another number when facts are read otherwise: notes of before are of no use then. */
const VERSION = 1;

/** A number of each recording. What is not known of one is -1, so that a column is of numbers alone. */
const COLUMNS = [
  ...(["ino", "size", "mtimeMs", "ctimeMs", "operation", "model", "test", "recordedAt"] as const),
  ...(["streamMs", "inputTokens", "outputTokens", "cachedInputTokens", "costUsd"] as const),
] as const;
type Column = (typeof COLUMNS)[number];

const NONE = -1;

/** Facts that earlier looks noted; what is lost of them is only time. */
export interface FactNotes {
  readonly size: number;
  /** Undefined where nothing is noted of this state of the file. */
  of(entry: string, stats: NotedFacts["state"]): RecordingFacts | undefined;
  /** In which its file was; undefined where nothing is noted. */
  stateOf(entry: string): NotedFacts["state"] | undefined;
}

/** No notes where there are none that can be used. Never throws. */
export async function readNotedFacts(dir: string): Promise<FactNotes> {
  const { version, entries: joined, ...rest } = fieldsOf(await readLocal(dir, NAME));
  const entries = typeof joined === "string" && joined !== "" ? joined.split("\n") : [];
  const columns = columnsFrom(rest, entries.length);
  if (version !== VERSION || columns === undefined)
    return { size: 0, of: () => undefined, stateOf: () => undefined };
  const places = new Map(entries.map((entry, index) => [entry, index]));
  const names = {
    operations: textsFrom(rest["operations"]),
    models: textsFrom(rest["models"]),
    tests: listOf(rest["tests"]).map(testFrom),
  };
  const { ino, size, mtimeMs, ctimeMs } = columns;
  return {
    size: entries.length,
    of(entry, stats) {
      const place = places.get(entry);
      if (place === undefined || ino[place] !== stats.ino || size[place] !== stats.size) return undefined;
      if (mtimeMs[place] !== stats.mtimeMs || ctimeMs[place] !== stats.ctimeMs) return undefined;
      return factsAt(place, columns, names);
    },
    stateOf(entry) {
      const place = places.get(entry);
      if (place === undefined) return undefined;
      const at = (column: readonly number[]): number => column[place] ?? NONE;
      return { ino: at(ino), size: at(size), mtimeMs: at(mtimeMs), ctimeMs: at(ctimeMs) };
    },
  };
}

/** Never throws: where a folder cannot be written to, all is read again next time. */
export async function writeNotedFacts(dir: string, notes: ReadonlyMap<string, NotedFacts>): Promise<void> {
  if (!existsSync(dir)) return;
  const [operations, models, tests] = [createNames(), createNames(), createNames()];
  const rows = Array.from(notes.values(), ({ state, facts }): Record<Column, number> => {
    const { operation, model, test, recordedAt, usage, streamMs } = facts;
    return {
      ...state,
      operation: operations.of(operation),
      model: model === undefined ? NONE : models.of(model),
      test: test === undefined ? NONE : tests.of(JSON.stringify([test.file, test.name])),
      recordedAt,
      streamMs: streamMs ?? NONE,
      inputTokens: usage?.inputTokens ?? NONE,
      outputTokens: usage?.outputTokens ?? NONE,
      cachedInputTokens: usage?.cachedInputTokens ?? NONE,
      costUsd: usage?.costUsd ?? NONE,
    };
  });
  const value = {
    version: VERSION,
    entries: [...notes.keys()].join("\n"),
    operations: operations.all(),
    models: models.all(),
    tests: tests.all().map((text): unknown => JSON.parse(text)),
    ...Object.fromEntries(COLUMNS.map((name) => [name, rows.map((row) => row[name])])),
  };
  await writeLocal(dir, NAME, value).catch(() => undefined);
}

type Columns = Readonly<Record<Column, readonly number[]>>;

/** Undefined where one is missing or of another length. */
function columnsFrom(value: Readonly<Record<string, unknown>>, length: number): Columns | undefined {
  const isColumn = (one: unknown): boolean => Array.isArray(one) && one.length === length;
  return COLUMNS.every((name) => isColumn(value[name])) ? (value as Columns) : undefined;
}

interface Names {
  readonly operations: readonly string[];
  readonly models: readonly string[];
  readonly tests: readonly RecordingFacts["test"][];
}

function factsAt(place: number, columns: Columns, { operations, models, tests }: Names): RecordingFacts {
  const { operation, model, test, recordedAt, streamMs } = columns;
  const facts: Mutable<RecordingFacts> = {
    operation: operations[operation[place] ?? NONE] ?? "http",
    recordedAt: recordedAt[place] ?? 0,
  };
  const [name, owner, took] = [
    models[model[place] ?? NONE],
    tests[test[place] ?? NONE],
    streamMs[place] ?? NONE,
  ];
  if (name !== undefined) facts.model = name;
  if (owner !== undefined) facts.test = owner;
  if (took !== NONE) facts.streamMs = took;
  const usage = usageAt(place, columns);
  if (usage !== undefined) facts.usage = usage;
  return facts;
}

function usageAt(place: number, columns: Columns): RecordingFacts["usage"] {
  const input = columns.inputTokens[place] ?? NONE;
  const output = columns.outputTokens[place] ?? NONE;
  const cached = columns.cachedInputTokens[place] ?? NONE;
  const cost = columns.costUsd[place] ?? NONE;
  if (input === NONE && output === NONE && cached === NONE && cost === NONE) return undefined;
  const usage: Mutable<NonNullable<RecordingFacts["usage"]>> = {};
  if (input !== NONE) usage.inputTokens = input;
  if (output !== NONE) usage.outputTokens = output;
  if (cached !== NONE) usage.cachedInputTokens = cached;
  if (cost !== NONE) usage.costUsd = cost;
  return usage;
}

type Mutable<T> = { -readonly [name in keyof T]: T[name] };

/** Texts that come again and again, by number. */
function createNames(): { of(text: string): number; all(): readonly string[] } {
  const numbers = new Map<string, number>();
  return {
    of(text) {
      const number = numbers.get(text) ?? numbers.size;
      numbers.set(text, number);
      return number;
    },
    all: () => [...numbers.keys()],
  };
}

function testFrom(value: unknown): RecordingFacts["test"] {
  const [file, name] = listOf(value);
  return { file: String(file), name: textsFrom(name) };
}

const textsFrom = (value: unknown): readonly string[] => listOf(value).map(String);
