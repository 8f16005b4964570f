import { localize } from "../../base/localize.ts";
import type { Clock } from "../../base/clock.ts";
import type { StreamRules } from "../../protocol/base/protocol.ts";
import { createCutterFor, findPieceFault, writePieceText, type Framing } from "../../base/wire/framing.ts";
import { joinBytes } from "../../base/wire/text.ts";

/** Records a stream while it arrives, and decides which bytes may be sent to the client. */
export interface StreamTape {
  /** Adds the next bytes and returns those that may be sent to the client now (possibly none). */
  push(bytes: Uint8Array): Uint8Array;
  /** Ends the stream: an unfinished event counts as its last one. */
  end(): void;
  /** Returns the bytes that were held back until the recording is on disk. */
  held(): Uint8Array;
  /** Returns all bytes so far, or none if they exceed the limit for recording. */
  body(): Uint8Array;
  readonly sizeBytes: number;
  /** Milliseconds before each event, in order. */
  readonly waitsMs: readonly number[];
  /** Number of related requests before each event; empty if they are not counted. */
  readonly after: readonly number[];
  /** Ends the stream after its last complete event. */
  endEarly(): void;
  /** Whether the terminal event was received. Always false if the operation has none. */
  readonly terminal: boolean;
  /** Whether the answer is over: its terminal event was received, and in this protocol that is always the last one. */
  readonly over: boolean;
  /** Whether an error event was received. */
  readonly failed: boolean;
  /** The first piece that violates the framing, and why. */
  readonly fault?: string | undefined;
}

/** Maximum size of a recorded answer: 256 MiB. Larger ones are forwarded and not recorded. */
export const KEPT_LIMIT_BYTES = 256 * 1_048_576;

/** The framing and the end rules of a reply. Without a framing it is one piece; without rules it ends with its body. */
export interface TapeRules {
  readonly framing: Framing | undefined;
  readonly stream: StreamRules | undefined;
  /** Counts the requests that precede an event. */
  readonly related?: { readonly count: number } | undefined;
}

/**
 * Records a reply while it is forwarded. Events are released when they are complete, except from the terminal one on: when
 * a client receives the end, the recording is on disk. Other replies are released as they arrive.
 */
export function createTape({ framing, stream, related }: TapeRules, clock: Clock): StreamTape {
  const rules = framing === undefined ? undefined : stream;
  const cutter = framing === undefined ? undefined : createCutterFor(framing);
  const tape = createEmptyTape();
  const { waitsMs, after } = tape;
  const [kept, outlet] = [createKept(), createOutlet()];
  let [framesEnd, terminalStart] = [0, Number.POSITIVE_INFINITY];
  let last = clock.ticks();

  const look = (frame: Uint8Array): void => {
    const now = clock.ticks();
    waitsMs.push(Math.max(0, Math.round(now - last)));
    if (related !== undefined) after.push(related.count);
    last = now;
    if (framing !== undefined) tape.fault ??= faultAt(frame, framing, waitsMs.length, framesEnd);
    const text = rules === undefined || framing === undefined ? "" : writePieceText(frame, framing);
    if (rules?.isError(text) === true) tape.failed = true;
    if (rules?.isTerminal(text) === true && !tape.over) {
      tape.terminal = true;
      tape.over = rules.endsWithBody !== true;
      terminalStart = framesEnd;
    }
    framesEnd += frame.byteLength;
  };
  /** Position in the stream up to which bytes may be sent. An event that is not complete may be the terminal one. */
  const limit = (): number => {
    if (tape.terminal) return terminalStart;
    return rules === undefined ? tape.sizeBytes : framesEnd;
  };

  const methods = {
    push(piece: Uint8Array): Uint8Array {
      tape.sizeBytes += piece.byteLength;
      if (tape.sizeBytes > KEPT_LIMIT_BYTES) {
        // The answer will not be recorded, so the rest is not inspected, held back, or stored.
        kept.cut(0);
        waitsMs.length = 0;
        return outlet.release(piece, tape.sizeBytes);
      }
      kept.push(piece);
      for (const frame of cutter?.push(piece) ?? []) look(frame);
      return outlet.release(piece, limit());
    },
    end() {
      const rest = tape.sizeBytes > KEPT_LIMIT_BYTES ? undefined : cutter?.rest();
      if (rest !== undefined && rest.byteLength > 0) look(rest);
    },
    endEarly: () => kept.cut(framesEnd),
    held: () => outlet.held(),
    body: () => kept.all(),
  };
  return Object.assign(tape, methods);
}

function createEmptyTape() {
  const [waitsMs, after]: [number[], number[]] = [[], []];
  const state = { sizeBytes: 0, terminal: false, over: false, failed: false, waitsMs, after };
  return state as typeof state & { fault?: string | undefined };
}

function faultAt(piece: Uint8Array, framing: Framing, count: number, start: number): string | undefined {
  const fault = findPieceFault(piece, framing);
  return fault === undefined ? undefined : localize("message {0}, at byte {1}: {2}", count, start + 1, fault);
}

/** Collects bytes and joins them only when they are read. */
function createKept() {
  let pieces: Uint8Array[] = [];
  return {
    push: (piece: Uint8Array): void => void pieces.push(piece),
    cut: (end: number): void => void (pieces = end === 0 ? [] : [joinBytes(pieces).subarray(0, end)]),
    all(): Uint8Array {
      if (pieces.length > 1) pieces = [joinBytes(pieces)];
      return pieces[0] ?? new Uint8Array(0);
    },
  };
}

/** Releases bytes in order, up to a position in the stream that advances. */
function createOutlet() {
  /** Oldest first; joined only when some are released, so that a long event is not copied for each of its pieces. */
  let waiting: Uint8Array[] = [];
  let releasedBytes = 0;
  return {
    release(piece: Uint8Array, until: number): Uint8Array {
      waiting.push(piece);
      if (until <= releasedBytes) return new Uint8Array(0);
      const open = joinBytes(waiting);
      const released = open.subarray(0, until - releasedBytes);
      waiting = released.byteLength < open.byteLength ? [open.subarray(released.byteLength)] : [];
      releasedBytes += released.byteLength;
      return released;
    },
    held: (): Uint8Array => joinBytes(waiting),
  };
}
