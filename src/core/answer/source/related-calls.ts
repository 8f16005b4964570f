import type { Call } from "../../call/call.ts";
import { getTestId } from "../../call/test-names.ts";
import { watchCalls } from "../runs.ts";
import { cutBody } from "../../base/wire/framing.ts";
import type { RecordedReply } from "../../cassette/recording.ts";

/** Counts the requests that an event stream reports on, from the moment when it was opened. */
export interface RelatedCalls {
  readonly count: number;
  /** Resolves when there are that many, or the client of the stream has left. */
  until(count: number): Promise<void>;
  dispose(): void;
}

/**
 * Counts the requests of a test that send something to the resource of a stream: posts to `/sessions/ID/events` for
 * `/sessions/ID/events/stream`, and posts to the same address for the notifications of an MCP server.
 */
export function countRelatedCalls(stream: Call): RelatedCalls {
  const { signal } = stream;
  let count = 0;
  const waiting = new Set<() => void>();
  const wake = (): void => waiting.forEach((look) => look());
  const watch = watchCalls(stream.run, (call) => {
    if (!isRelated(stream, call)) return;
    count += 1;
    wake();
  });
  signal.addEventListener("abort", wake);
  return {
    get count() {
      return count;
    },
    until: (least) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (count < least && !signal.aborted) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    dispose() {
      watch.dispose();
      signal.removeEventListener("abort", wake);
    },
  };
}

function isRelated(stream: Call, call: Call): boolean {
  if (call.provider !== stream.provider || call.method === "GET" || call.method === "HEAD") return false;
  return call.path.startsWith(resourceOf(stream.path)) && getTestId(call.test) === getTestId(stream.test);
}

/** Returns the address of the resource that a stream belongs to. */
const resourceOf = (path: string): string =>
  (path.split("?", 1)[0] ?? "").replace(/\/(?:[\w-]+:)?stream$/, "");

/**
 * Replays a stream by cause: each event follows as many related requests as in the recording. If the recorded client left
 * the stream open, it stays open until the client leaves.
 */
export async function* replayByCause(
  { body, after = [] }: RecordedReply,
  related: RelatedCalls,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    const frames = cutBody(body, "events");
    for (const [index, frame] of frames.entries()) {
      await related.until(after[index] ?? 0);
      if (signal.aborted) return;
      yield frame;
    }
    await related.until(after[frames.length] ?? Infinity);
  } finally {
    related.dispose();
  }
}
