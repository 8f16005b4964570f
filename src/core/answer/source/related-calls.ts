import { localize } from "../../base/localize.ts";
import { createTapedeckError } from "../../base/errors.ts";
import { readFields, tryParsePlainJson } from "../../base/lenient.ts";
import type { Call, Disposable, Outcome } from "../../call/call.ts";
import { getTestId } from "../../call/test-names.ts";
import { getRefreshCommand } from "../../view/miss.ts";
import { watchCalls, type CallWatcher } from "../runs.ts";
import { cutBody } from "../../base/wire/framing.ts";
import { decodeText, encodeUtf8, isBytes } from "../../base/wire/text.ts";
import type { RecordedReply } from "../../cassette/recording.ts";
import type { Exchange } from "../../match/read-request.ts";

/** Counts the requests that an event stream reports on, from the moment when it was opened. */
export interface RelatedCalls {
  readonly count: number;
  /** Returns how many of the first requests are recorded. A replay does not get the others: they failed, and were repeated. */
  countRecorded(first: number): number;
  dispose(): void;
}

/** Counts the related requests of a stream that is being recorded. */
export function countRelatedCalls(stream: Call): RelatedCalls {
  const calls: Call[] = [];
  const lost = new Set<Call>();
  const watch = watchRelated(stream, {
    arrive: (call) => void calls.push(call),
    settle: (call, outcome) => void (isRecorded(outcome) || lost.add(call)),
  });
  return {
    get count() {
      return calls.length;
    },
    countRecorded: (first) => calls.slice(0, first).filter((call) => !lost.has(call)).length,
    dispose: () => watch.dispose(),
  };
}

const isRecorded = (outcome: Outcome): boolean => outcome === "recorded" || outcome === "replayed";

/**
 * Watches the requests of a test that send something to the resource of a stream: posts to `/sessions/ID/events` for
 * `/sessions/ID/events/stream`, and posts to the same address for the notifications of an MCP server.
 */
function watchRelated(stream: Call, watcher: CallWatcher): Disposable {
  const open = new Set<Call>();
  return watchCalls(stream.run, {
    arrive(call) {
      if (!isRelated(stream, call)) return;
      open.add(call);
      watcher.arrive(call);
    },
    settle: (call, outcome) => void (open.delete(call) && watcher.settle(call, outcome)),
  });
}

function isRelated(stream: Call, call: Call): boolean {
  if (call.provider !== stream.provider || call.method === "GET" || call.method === "HEAD") return false;
  return call.path.startsWith(resourceOf(stream.path)) && getTestId(call.test) === getTestId(stream.test);
}

/** Returns the address of the resource that a stream belongs to. */
const resourceOf = (path: string): string =>
  (path.split("?", 1)[0] ?? "").replace(/\/(?:[\w-]+:)?stream$/, "");

/**
 * Replays a stream by cause: each event follows as many replayed requests as in the recording. If the recorded client left
 * the stream open, it stays open until the client leaves. A request that is not replayed ends it with an error.
 */
export function replayByCause(
  { body, after = [] }: RecordedReply,
  exchange: Exchange,
): AsyncGenerator<Uint8Array> {
  const { call } = exchange;
  const { signal } = call;
  const present = { count: 0, hasDeparted: false };
  let wake = (): void => {};
  const watch = watchRelated(call, {
    arrive: () => {},
    settle(_, outcome) {
      if (outcome === "replayed") present.count += 1;
      else present.hasDeparted = true;
      wake();
    },
  });
  const leave = (): void => wake();
  signal.addEventListener("abort", leave);
  return (async function* () {
    try {
      const frames = cutBody(body, "events");
      for (const [index, frame] of [...frames, undefined].entries()) {
        const least = after[index] ?? Infinity;
        const isEarly = (): boolean => present.count < least;
        while (isEarly() && !present.hasDeparted && !signal.aborted)
          await new Promise<void>((resolve) => (wake = resolve));
        if (signal.aborted) return;
        const isOver = isEarly();
        if (isOver) yield writeDeparture(exchange);
        if (isOver || frame === undefined) return;
        yield frame;
      }
    } finally {
      watch.dispose();
      signal.removeEventListener("abort", leave);
    }
  })();
}

/** Reports that a stream cannot be continued, as an event of the API. Events of Gemini's interactions have an `event_type`. */
function writeDeparture({ call, provider }: Exchange): Uint8Array {
  const error = createTapedeckError(
    "tapedeck_miss",
    localize(
      "The stream {0} was recorded with other requests, so its next events are not replayed.",
      call.path,
    ),
    { hint: localize("Record the whole test again: {0}", getRefreshCommand(call)) },
  );
  const { body } = provider.dialect.refuse(error);
  const fields = isBytes(body) ? readFields(tryParsePlainJson(decodeText(body))) : {};
  const event = { type: "error", event_type: "error", ...fields };
  return encodeUtf8(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}
