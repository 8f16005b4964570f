import type { CountedEvents, CountsReader, Protocol, ReadReply, Reply, ReplyCounts } from "./protocol.ts";
import {
  createChunkEvents,
  createStreamEvents,
  findLastValues,
  type ReplyEvent,
  type ViewedFamily,
} from "./events.ts";
import { readFields } from "../../base/lenient.ts";
import { readReply } from "./reply.ts";
import { readReportedUsage } from "./usage.ts";

/** Creates the reader of a family's counts. */
export function createCountsReader(family: ViewedFamily): CountsReader | undefined {
  const { counted, failureIn, chunksOf } = family;
  if (counted === undefined || family.whole) return undefined;
  const eventsOf = (reply: ReadReply, status: number): readonly ReplyEvent[] => {
    if (reply.kind === "stream") return createStreamEvents(family, reply.events);
    const value = reply.kind === "json" ? reply.value : undefined;
    const fields = readFields(value);
    if (failureIn?.(fields, { status })) return [];
    const chunks = chunksOf(fields, { status }, value) ?? [];
    return counted.read ? chunks.flatMap(counted.read) : createChunkEvents(family, chunks);
  };
  return {
    ...counted,
    read(reply, status) {
      const { usage, wire = family.usage, model } = findLastValues(eventsOf(reply, status));
      return { usage: readReportedUsage(usage, wire), model };
    },
  };
}

/** Reads the counts and the model of a reply. Of a stream, only the events that have them are parsed. */
export function readReplyCounts(
  { counts, project }: Pick<Protocol, "counts" | "project">,
  reply: Reply,
): ReplyCounts {
  if (counts === undefined) return project(reply);
  const read = readReply(reply);
  if (read.kind !== "stream") return counts.read(read, reply.status);
  const counted = findCountedEvents(
    read.events.map(({ data }) => data),
    counts,
  );
  const events = read.events.filter(({ data }) => counted.has(data));
  return counts.read({ kind: "stream", events }, reply.status);
}

/** Finds the events of a stream that have counts, by the text of their JSON. */
export function findCountedEvents(
  events: readonly string[],
  { all, last = [] }: CountedEvents,
): ReadonlySet<string> {
  const found = last.flatMap((pattern) => events.findLast((event) => pattern.test(event)) ?? []);
  return new Set(all === undefined ? found : [...found, ...events.filter((event) => all.test(event))]);
}
