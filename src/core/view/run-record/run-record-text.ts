import { parseMode, type Outcome } from "../../call/call.ts";
import { pickDefined } from "../../base/pick-defined.ts";
import { isFields, isText, isTexts, tryParsePlainJson } from "../../base/lenient.ts";
import {
  countByOutcome,
  type RunCallTokens,
  type RecordedTiming,
  type RunCall,
  type RunRecord,
  type RunTest,
} from "./run-record.ts";

export interface RunHead extends Omit<RunRecord, "calls"> {
  /** From its start to the end of its last call, in milliseconds. */
  readonly ms: number;
  readonly counts: Partial<Readonly<Record<Outcome, number>>>;
}

const VERSION = 1;

export function pickRunHead({ calls, ...rest }: RunRecord): RunHead {
  // Math.max(...calls) could exceed the maximum number of arguments.
  const ms = calls.reduce((latest, call) => Math.max(latest, call.at + call.ms), 0);
  return { ...rest, ms, counts: countByOutcome(calls) };
}

/** Formats a run as JSON lines, first the head and then each call, so that lists read only the first line. */
export function formatRunRecord(record: RunRecord): string {
  const lines = [{ version: VERSION, ...pickRunHead(record) }, ...record.calls];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Reads the head of a run's text. Returns undefined if it is invalid or has another version. Never throws. */
export function readRunHead(text: string): RunHead | undefined {
  const end = text.indexOf("\n");
  return headFrom(tryParsePlainJson(end < 0 ? text : text.slice(0, end)));
}

/** Reads a run's text. Omits lines that are not valid calls. Never throws. */
export function readRunRecord(text: string): RunRecord | undefined {
  const head = readRunHead(text);
  if (head === undefined) return undefined;
  const { ms: _ms, counts: _counts, ...rest } = head;
  const lines = text.split("\n").slice(1);
  return { ...rest, calls: lines.flatMap((line) => runCallFrom(tryParsePlainJson(line)) ?? []) };
}

function headFrom(value: unknown): RunHead | undefined {
  if (!isFields(value) || value["version"] !== VERSION) return undefined;
  const { id, startedAt, source, title, passed, left, ms, counts } = value;
  const mode = parseMode(value["mode"]);
  if (!isText(id) || !isTime(startedAt) || mode === undefined || !isTime(ms)) return undefined;
  if (source !== "command" && source !== "editor") return undefined;
  return {
    id,
    startedAt,
    mode,
    source,
    ms,
    counts: countsFrom(counts),
    ...(isText(title) && { title }),
    ...(typeof passed === "boolean" && { passed }),
    ...(isTime(left) && left > 0 && { left }),
  };
}

function countsFrom(value: unknown): RunHead["counts"] {
  if (!isFields(value)) return {};
  return Object.fromEntries(OUTCOMES.flatMap((name) => (isTime(value[name]) ? [[name, value[name]]] : [])));
}

const OUTCOMES: readonly Outcome[] = ["replayed", "recorded", "forwarded", "defaulted", "miss", "refused"];

function runCallFrom(value: unknown): RunCall | undefined {
  if (!isFields(value)) return undefined;
  const { at, ms, outcome, provider, operation, label } = value;
  const known = OUTCOMES.find((one) => one === outcome);
  if (known === undefined || !isTime(at) || !isTime(ms)) return undefined;
  if (!isText(provider) || !isText(operation) || !isText(label)) return undefined;
  const test = testFrom(value["test"]);
  const tokens = numbersOf<RunCallTokens>(value["tokens"], ["input", "output", "cached"]);
  const recorded = timingFrom(value["recorded"]);
  const { continues } = value;
  return {
    at,
    ms,
    outcome: known,
    provider,
    operation,
    label,
    ...textsOf<RunCall>(value, ["model", "entry", "key", "note", "answered"]),
    ...numbersOf<RunCall>(value, ["firstByteMs", "status", "costUsd"]),
    ...pickDefined({ test, tokens, recorded }),
    ...(isTexts(continues) && { continues }),
  };
}

function testFrom(value: unknown): RunTest | undefined {
  if (!isFields(value)) return undefined;
  const { file, name, line } = value;
  if (!isText(file) || !isTexts(name)) return undefined;
  return { file, name, ...(isTime(line) && { line }) };
}

function timingFrom(value: unknown): RecordedTiming | undefined {
  if (!isFields(value) || !isTime(value["ms"])) return undefined;
  const { ms, isPartial } = value;
  return {
    ms,
    ...numbersOf<RecordedTiming>(value, ["firstByteMs"]),
    ...(isPartial === true && { isPartial }),
  };
}

function numbersOf<T>(value: unknown, names: readonly (keyof T & string)[]): Partial<T> | undefined {
  return membersOf<T>(value, names, isTime);
}

function textsOf<T>(value: unknown, names: readonly (keyof T & string)[]): Partial<T> | undefined {
  return membersOf<T>(value, names, isText);
}

function membersOf<T>(
  value: unknown,
  names: readonly string[],
  isOne: (member: unknown) => boolean,
): Partial<T> | undefined {
  if (!isFields(value)) return undefined;
  const members = names.flatMap((name) => (isOne(value[name]) ? [[name, value[name]] as const] : []));
  return members.length === 0 ? undefined : (Object.fromEntries(members) as Partial<T>);
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
