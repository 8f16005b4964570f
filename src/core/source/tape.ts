import type { Clock } from "../clock.ts";
import type { StreamRules } from "../protocol/protocol.ts";
import { createFrameCutter } from "../wire/sse.ts";
import { joinBytes } from "../wire/text.ts";

/** A stream while it comes in: what may go out, what is kept, and how it ended. */
export interface Tape {
  /** Takes in the next bytes and gives back those that may go to the client now (possibly none). */
  push(bytes: Uint8Array): Uint8Array;
  /** The stream has ended: what is left open counts as its last event. */
  end(): void;
  /** What was held back until the recording is on disk. */
  held(): Uint8Array;
  /** All bytes so far, or none where they were more than may be kept. */
  body(): Uint8Array;
  readonly sizeBytes: number;
  /** Milliseconds before each event, in order. */
  readonly waitsMs: readonly number[];
  /** Whether the terminal event was seen. Stays false where the operation has none. */
  readonly terminal: boolean;
  /** Whether an error event was seen. */
  readonly failed: boolean;
}

/** More than this is passed on and not kept: 256 MiB. */
export const KEPT_LIMIT_BYTES = 256 * 1_048_576;
/** Enough of an event's beginning to tell whether it may be the terminal one. */
const BEGINNING_BYTES = 64;

/**
 * Records a stream as it passes. Bytes go out as they come in, except from the terminal event on:
 * a client that has seen the end may trust that the recording is on disk.
 */
export function createTape(rules: StreamRules | undefined, clock: Clock): Tape {
  const decoder = new TextDecoder();
  const cutter = createFrameCutter();
  const chunks: Uint8Array[] = [];
  const waitsMs: number[] = [];
  let waiting = new Uint8Array(0);
  const tape = { sizeBytes: 0, waitsMs, terminal: false, failed: false };
  let framesEnd = 0;
  let terminalStart = Number.POSITIVE_INFINITY;
  let last = clock.ticks();

  const look = (frame: Uint8Array): void => {
    const now = clock.ticks();
    waitsMs.push(Math.max(0, Math.round(now - last)));
    last = now;
    const text = rules === undefined ? "" : decoder.decode(frame);
    if (rules?.isError(text) === true) tape.failed = true;
    if (rules?.isTerminal(text) === true && !tape.terminal) {
      tape.terminal = true;
      terminalStart = framesEnd;
    }
    framesEnd += frame.byteLength;
  };
  /** Position in the stream up to which bytes may go out. */
  const limit = (): number => {
    if (tape.terminal) return terminalStart;
    const beginning = decoder.decode(cutter.rest().subarray(0, BEGINNING_BYTES));
    return beginning !== "" && rules?.mayBeTerminal(beginning) === true ? framesEnd : tape.sizeBytes;
  };

  const methods = {
    push(bytes: Uint8Array): Uint8Array {
      if (tape.sizeBytes + bytes.byteLength <= KEPT_LIMIT_BYTES) chunks.push(bytes);
      else chunks.length = 0;
      tape.sizeBytes += bytes.byteLength;
      for (const frame of cutter.push(bytes)) look(frame);
      const open = waiting.byteLength === 0 ? bytes : joinBytes([waiting, bytes]);
      const count = Math.max(0, limit() - (tape.sizeBytes - open.byteLength));
      waiting = open.slice(count);
      return open.subarray(0, count);
    },
    end() {
      if (cutter.rest().byteLength > 0) look(cutter.rest());
    },
    held: () => waiting,
    body: () => joinBytes(chunks),
  };
  return Object.assign(tape, methods);
}
