import type { TestRef } from "../core/exchange.ts";
import { readLocal, writeLocal } from "./local-state.ts";

/** A recording that was made and is not accepted yet. On disk it is one like any other: this is remembered beside it. */
export interface Candidate {
  readonly entry: string;
  readonly test?: TestRef;
  /** Milliseconds since the epoch. */
  readonly recordedAt: number;
}

const NAME = "candidates";

/** What is remembered beside the recordings in `dir`. Whatever is not a candidate is left out. Never throws. */
export async function readCandidates(dir: string): Promise<readonly Candidate[]> {
  return candidatesFrom(await readLocal(dir, NAME));
}

/** @throws TapedeckError `tapedeck_cassette` where the disk refuses. */
export function writeCandidates(dir: string, candidates: Iterable<Candidate>): Promise<void> {
  return writeLocal(dir, NAME, { candidates: [...candidates] });
}

/** Reads remembered candidates; what is not one is left out. Never throws. */
export function candidatesFrom(value: unknown): readonly Candidate[] {
  const listed: unknown = property(value, "candidates");
  return Array.isArray(listed) ? listed.flatMap((one: unknown) => candidateFrom(one) ?? []) : [];
}

function candidateFrom(value: unknown): Candidate | undefined {
  const entry = property(value, "entry");
  const recordedAt = property(value, "recordedAt");
  if (typeof entry !== "string" || typeof recordedAt !== "number") return undefined;
  const test = testFrom(property(value, "test"));
  return { entry, recordedAt, ...(test && { test }) };
}

function testFrom(value: unknown): TestRef | undefined {
  const file = property(value, "file");
  const name = property(value, "name");
  const line = property(value, "line");
  if (typeof file !== "string" || !Array.isArray(name)) return undefined;
  if (!name.every((title): title is string => typeof title === "string")) return undefined;
  return { file, name, ...(typeof line === "number" && { line }) };
}

function property(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const found: unknown = Reflect.get(value, name);
  return found;
}
