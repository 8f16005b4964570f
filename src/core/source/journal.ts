import type { Call, Run, Settled } from "../call.ts";
import { plainJson } from "../json/json-write.ts";
import { readBody } from "../match/key/canonical.ts";
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

/** A call, its body as it came: it is read for whoever asks. */
interface Noted {
  readonly entry: Omit<JournalEntry, "body">;
  readonly body: Pick<Call, "body"> & ReturnType<typeof contentTypeOf>;
}

export function createJournal(): Journal {
  const runs = new WeakMap<Run, { readonly calls: Noted[]; bytes: number }>();
  return {
    note({ call, provider, protocol, facts }, { outcome, entry }) {
      const { method, path, body, run, test } = call;
      const kept = runs.get(run) ?? { calls: [], bytes: 0 };
      runs.set(run, kept);
      const { operation } = protocol;
      const { model, label } = facts;
      const named = pickDefined({ model, entry, test: test?.name.join(" ") });
      const noted = { provider: provider.name, operation, label, method, path, outcome, ...named };
      kept.calls.push({ entry: noted, body: { body, ...contentTypeOf(call.headers) } });
      kept.bytes += heldBy(body);
      while (kept.calls.length > MOST_CALLS || (kept.bytes > MOST_BYTES && kept.calls.length > 1))
        kept.bytes -= heldBy(kept.calls.shift()?.body.body);
    },
    of: (run) => runs.get(run)?.calls.map(journalEntry) ?? [],
    forget: (run) => void runs.delete(run),
  };
}

/** A body may be a piece of something larger, which it keeps. */
function heldBy(body: Uint8Array | undefined): number {
  return body?.buffer.byteLength ?? 0;
}

function journalEntry({ entry, body }: Noted): JournalEntry {
  const read = readBody({ ...body, operation: entry.operation });
  return read.kind === "json" ? { ...entry, body: plainJson(read.tree) } : entry;
}
