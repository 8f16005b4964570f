import type { Run, Settled, TestRef } from "../call.ts";
import { plainJson } from "../json/json-tree.ts";
import { readBody } from "../match/key/read-body.ts";
import { pickDefined } from "../pick-defined.ts";
import { contentTypeOf } from "../wire/content-type.ts";
import type { Exchange } from "./source.ts";

/** One call as the journal of its run has it; nothing of its headers. */
export interface JournalEntry {
  readonly provider: string;
  readonly operation: string;
  readonly model?: string;
  readonly label: string;
  readonly method: string;
  readonly path: string;
  /** The body where it is JSON. */
  readonly body?: unknown;
  readonly outcome: Settled["outcome"];
  readonly entry?: string;
  readonly test?: string;
}

/** The last calls of runs, for tests that ask what was called. */
export interface Journal {
  note(exchange: Exchange, became: Pick<Settled, "outcome" | "entry">): void;
  of(run: Run): readonly JournalEntry[];
  forget(run: Run): void;
}

/** Nobody may ever ask: a run keeps so many calls, and so much of their bodies. */
const MOST_CALLS = 1_000;
const MOST_BYTES = 16 * 1_048_576;

/** A call as far as it is told. Its body is a part of its page, and is read for whoever asks. */
interface Noted {
  readonly provider: string;
  readonly operation: string;
  readonly facts: Exchange["facts"];
  readonly method: string;
  readonly path: string;
  readonly contentType: string | undefined;
  readonly from: number;
  readonly to: number;
  readonly outcome: Settled["outcome"];
  readonly entry: string | undefined;
  readonly test: TestRef | undefined;
}

/** Calls and the bodies that they came with, one behind the other. */
interface Page {
  readonly bytes: Uint8Array;
  /** Whether the bytes are memory of the journal's. */
  readonly isOwn: boolean;
  readonly calls: Noted[];
}

export function createJournal(): Journal {
  const runs = new WeakMap<Run, Page[]>();
  return {
    note({ call, provider, protocol: { operation }, facts }, { outcome, entry }) {
      const { body, run, method, path, test } = call;
      const pages = runs.get(run) ?? [];
      runs.set(run, pages);
      const { bytes, calls } = pageFor(body, pages);
      const from = endOf(calls);
      const to = from + body.byteLength;
      if (bytes !== body) bytes.set(body, from);
      const contentType = call.contentType ?? contentTypeOf(call.headers).contentType;
      const { name } = provider;
      calls.push({
        provider: name,
        operation,
        facts,
        method,
        path,
        contentType,
        from,
        to,
        outcome,
        entry,
        test,
      });
    },
    of: (run) => (runs.get(run) ?? []).flatMap(journalEntries).slice(-MOST_CALLS),
    forget: (run) => void runs.delete(run),
  };
}

const PAGE_BYTES = 32_768;
/** Of which some have no body. */
const PAGE_CALLS = 250;

/**
 * Where a body goes: a short one behind others, in memory that is used again. Thousands of memories that outlive their
 * calls would have all memory looked through many times a second. A long one stays as it is, and the first one: many
 * runs are of one call.
 */
function pageFor(body: Uint8Array, pages: Page[]): Page {
  const last = pages.at(-1);
  const left = last === undefined ? 0 : last.bytes.byteLength - endOf(last.calls);
  const isShort = last !== undefined && body.byteLength <= PAGE_BYTES / 4;
  if (isShort && last.calls.length < PAGE_CALLS && left >= body.byteLength) return last;
  const dropped = dropOld(pages, isShort ? PAGE_BYTES : body.buffer.byteLength);
  const free = dropped.find(({ isOwn }) => isOwn)?.bytes;
  const page = { bytes: isShort ? (free ?? new Uint8Array(PAGE_BYTES)) : body, calls: [], isOwn: isShort };
  pages.push(page);
  return page;
}

/** Those pages that would be too much together with one of this size. */
function dropOld(pages: Page[], size: number): readonly Page[] {
  let [calls, bytes] = [0, size];
  const tooMany = pages.findLastIndex((one) => {
    bytes += one.bytes.buffer.byteLength; // a body may be a piece of something larger, which it keeps
    const isTooMuch = calls >= MOST_CALLS || bytes > MOST_BYTES;
    calls += one.calls.length;
    return isTooMuch;
  });
  return pages.splice(0, tooMany + 1);
}

function endOf(calls: readonly Noted[]): number {
  return calls.at(-1)?.to ?? 0;
}

function journalEntries({ bytes, calls }: Page): JournalEntry[] {
  return calls.map(({ facts: { model, label }, contentType, from, to, entry, test, ...call }) => {
    const named = pickDefined({ model, entry, test: test?.name.join(" ") });
    const told = { ...call, label, ...named };
    const body = bytes.subarray(from, to);
    const read = readBody({ body, operation: call.operation, ...pickDefined({ contentType }) });
    return read.kind === "json" ? { ...told, body: plainJson(read.tree) } : told;
  });
}
