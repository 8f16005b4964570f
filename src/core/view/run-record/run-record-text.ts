import { parseMode, type Outcome } from "../../call/call.ts";
import { isFields, isText, readFields, tryParsePlainJson } from "../../base/lenient.ts";
import { countByOutcome, type RunCall, type RunRecord } from "./run-record.ts";

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

/** Checks the members without which a run cannot be listed. Tapedeck wrote the others, and a damaged line does not parse. */
function headFrom(value: unknown): RunHead | undefined {
  if (!isFields(value) || value["version"] !== VERSION) return undefined;
  const { version: _, ...head } = value;
  const isListed = isText(head["id"]) && isTime(head["startedAt"]) && isTime(head["ms"]);
  if (!isListed || parseMode(String(head["mode"])) === undefined) return undefined;
  return { ...head, counts: readFields(head["counts"]) } as unknown as RunHead;
}

const NUMBERS = ["at", "ms"];
const TEXTS = ["outcome", "provider", "operation", "label"];

/** Checks the members without which a call cannot be shown. */
function runCallFrom(value: unknown): RunCall | undefined {
  if (!isFields(value)) return undefined;
  const isShown = NUMBERS.every((name) => isTime(value[name])) && TEXTS.every((name) => isText(value[name]));
  return isShown ? (value as unknown as RunCall) : undefined;
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
