import type { Clock } from "../../base/clock.ts";
import { localizeCount } from "../../base/plural.ts";

/** Streams that are being recorded, possibly after their clients left. */
export interface StreamsUnderWay {
  readonly count: number;
  /** `stop` ends it as it is. */
  add(stream: Promise<unknown>, stop: () => void): void;
  /** Resolves when none is left. */
  settled(): Promise<void>;
  stop(): void;
}

export function createStreamsUnderWay(): StreamsUnderWay {
  const streams = new Map<Promise<unknown>, () => void>();
  return {
    get count() {
      return streams.size;
    },
    add(stream, stop) {
      const over = (): void => void streams.delete(stream);
      streams.set(stream, stop);
      stream.then(over, over);
    },
    async settled() {
      while (streams.size > 0) await Promise.allSettled(streams.keys());
    },
    stop() {
      for (const stop of streams.values()) stop();
    },
  };
}

/** Maximum wait for streams at the end. */
const LAST_STREAMS_MS = 30_000;

/** Reads streams whose clients have left to their end, up to the maximum wait, and reports that it waits. */
export async function endStreams(
  streams: StreamsUnderWay,
  clock: Clock,
  report: (message: string) => void,
): Promise<void> {
  if (streams.count === 0) return;
  report(
    localizeCount(
      streams.count,
      "Reading {0} stream to the end for the recording (at most 30 s).",
      "Reading {0} streams to the end for the recording (at most 30 s).",
    ),
  );
  const ended = new AbortController();
  const settled = streams.settled().finally(() => ended.abort());
  await clock.wait(LAST_STREAMS_MS, ended.signal);
  if (streams.count > 0)
    report(
      localizeCount(
        streams.count,
        "{0} stream did not end and is not recorded.",
        "{0} streams did not end and are not recorded.",
      ),
    );
  streams.stop();
  await settled;
}
