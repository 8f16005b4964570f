import type { Run, Settled } from "../../call/call.ts";
import { plainJson } from "../../base/json/json-tree.ts";
import { readBody } from "../../base/read-body.ts";
import { pickDefined } from "../../base/pick-defined.ts";
import { contentTypeOf } from "../../base/wire/text.ts";
import type { Exchange } from "../../match/read-request.ts";

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

/** A run keeps this many calls, and this many bytes of their bodies. Older ones are dropped. */
const MOST_CALLS = 1_000;
const MOST_BYTES = 16 * 1_048_576;

/** A call with its body, which is parsed only when an entry is read. */
interface NotedCall extends Omit<JournalEntry, "body"> {
  readonly bytes: Uint8Array;
  readonly contentType: string | undefined;
}

interface NotedRun {
  readonly calls: NotedCall[];
  sizeBytes: number;
}

export function createJournal(): Journal {
  const runs = new WeakMap<Run, NotedRun>();
  return {
    note({ call, provider, protocol: { operation }, facts }, { outcome, entry }) {
      const { body: bytes, run, method, path, test } = call;
      const noted = runs.get(run) ?? { calls: [], sizeBytes: 0 };
      runs.set(run, noted);
      const { model, label } = facts;
      const contentType = call.contentType ?? contentTypeOf(call.headers).contentType;
      const known = { provider: provider.name, operation, label, method, path, outcome, bytes, contentType };
      noted.calls.push({ ...known, ...pickDefined({ model, entry, test: test?.name.join(" ") }) });
      noted.sizeBytes += bytes.byteLength;
      while (noted.calls.length > MOST_CALLS || (noted.sizeBytes > MOST_BYTES && noted.calls.length > 1))
        noted.sizeBytes -= noted.calls.shift()?.bytes.byteLength ?? 0;
    },
    of: (run) => (runs.get(run)?.calls ?? []).map(journalEntry),
    forget: (run) => void runs.delete(run),
  };
}

function journalEntry({ bytes, contentType, ...entry }: NotedCall): JournalEntry {
  const read = readBody({ body: bytes, operation: entry.operation, ...pickDefined({ contentType }) });
  return read.kind === "json" ? { ...entry, body: plainJson(read.tree) } : entry;
}
