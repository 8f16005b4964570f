import type { Clock } from "../../base/clock.ts";
import type { StreamRules } from "../../protocol/base/protocol.ts";
import { createCutterFor, pieceFault, pieceText, type Framing } from "../../base/wire/framing.ts";
import { joinBytes } from "../../base/wire/text.ts";
import type { Cutter } from "../../base/wire/cutter.ts";

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
  /** Whether nothing of the answer can follow: its terminal event was seen, and it is always the last one. */
  readonly over: boolean;
  /** Whether an error event was seen. */
  readonly failed: boolean;
  /** What is wrong with the first piece that is none of its framing, and which that is. */
  readonly fault: string | undefined;
}

/** More than this is passed on and not kept: 256 MiB. */
export const KEPT_LIMIT_BYTES = 256 * 1_048_576;
/** Enough of an event's beginning to tell whether it may be the terminal one. */
const BEGINNING_BYTES = 64;

/** The members of a tape that change while it runs. */
interface Seen {
  sizeBytes: number;
  readonly waitsMs: number[];
  terminal: boolean;
  over: boolean;
  failed: boolean;
  fault: string | undefined;
}

/** How a reply is divided and how it ends; without a framing it is one piece, without rules only its body ends it. */
export interface TapeRules {
  readonly framing: Framing | undefined;
  readonly stream: StreamRules | undefined;
}

/**
 * Records a reply as it passes. Bytes go out as they come in, except from the terminal event on:
 * a client that has seen the end may trust that the recording is on disk.
 */
export function createTape({ framing, stream }: TapeRules, clock: Clock): Tape {
  const rules = framing === undefined ? undefined : stream;
  const cutter = framing === undefined ? undefined : createCutterFor(framing);
  const kept = createKept();
  const waitsMs: number[] = [];
  const outlet = createOutlet();
  const tape: Seen = { sizeBytes: 0, waitsMs, terminal: false, over: false, failed: false, fault: undefined };
  let framesEnd = 0;
  let terminalStart = Number.POSITIVE_INFINITY;
  let last = clock.ticks();

  const look = (frame: Uint8Array): void => {
    const now = clock.ticks();
    waitsMs.push(Math.max(0, Math.round(now - last)));
    last = now;
    if (framing !== undefined) tape.fault ??= faultAt(frame, framing, waitsMs.length, framesEnd);
    const text = rules === undefined || framing === undefined ? "" : pieceText(frame, framing);
    if (rules?.isError(text) === true) tape.failed = true;
    if (rules?.isTerminal(text) === true && !tape.over) {
      tape.terminal = true;
      tape.over = rules.endsWithBody !== true;
      terminalStart = framesEnd;
    }
    framesEnd += frame.byteLength;
  };
  const mayEnd = cutter && rules && createForesight(cutter, rules);
  /** Position in the stream up to which bytes may go out. */
  const limit = (): number => {
    if (tape.terminal) return terminalStart;
    return mayEnd?.(framesEnd) === true ? framesEnd : tape.sizeBytes;
  };

  const methods = {
    push(piece: Uint8Array): Uint8Array {
      tape.sizeBytes += piece.byteLength;
      if (tape.sizeBytes > KEPT_LIMIT_BYTES) {
        // Nothing of it will be kept: nothing of it is looked at, held back or remembered any more.
        kept.drop();
        waitsMs.length = 0;
        return outlet.push(piece, tape.sizeBytes);
      }
      kept.push(piece);
      for (const frame of cutter?.push(piece) ?? []) look(frame);
      return outlet.push(piece, limit());
    },
    end() {
      const rest = tape.sizeBytes > KEPT_LIMIT_BYTES ? undefined : cutter?.rest();
      if (rest !== undefined && rest.byteLength > 0) look(rest);
    },
    held: () => outlet.held(),
    body: () => kept.all(),
  };
  return Object.assign(tape, methods);
}

/** Tells whether the event that is coming in, which begins at `start`, may be the terminal one. */
function createForesight(cutter: Cutter, rules: StreamRules): (start: number) => boolean {
  const decoder = new TextDecoder();
  let known: { readonly start: number; readonly mayEnd: boolean } | undefined;
  return (start) => {
    // More of a long event does not change what its beginning said.
    if (known?.start === start) return known.mayEnd;
    const beginning = cutter.rest().subarray(0, BEGINNING_BYTES);
    const mayEnd = beginning.byteLength > 0 && rules.mayBeTerminal(decoder.decode(beginning));
    if (beginning.byteLength === BEGINNING_BYTES) known = { start, mayEnd };
    return mayEnd;
  };
}

function faultAt(piece: Uint8Array, framing: Framing, count: number, start: number): string | undefined {
  const fault = pieceFault(piece, framing);
  return fault === undefined ? undefined : `message ${count}, at byte ${start + 1}: ${fault}`;
}

/** Collects bytes and joins them only when they are read. */
function createKept() {
  let pieces: Uint8Array[] = [];
  return {
    push: (piece: Uint8Array): void => void pieces.push(piece),
    drop: (): void => void (pieces = []),
    all(): Uint8Array {
      if (pieces.length > 1) pieces = [joinBytes(pieces)];
      return pieces[0] ?? new Uint8Array(0);
    },
  };
}

/** Lets bytes out in order, up to a position that moves on. */
export interface Outlet {
  /** Takes in the next bytes and gives back those before `until`, a position in the stream, that did not go out yet. */
  push(bytes: Uint8Array, until: number): Uint8Array;
  /** What did not go out. */
  held(): Uint8Array;
}

export function createOutlet(): Outlet {
  /** Oldest first; joined only when some of it goes, so that a long event is not copied with each of its pieces. */
  let waiting: Uint8Array[] = [];
  let out = 0;
  return {
    push(bytes, until) {
      waiting.push(bytes);
      if (until <= out) return new Uint8Array(0);
      const open = joinBytes(waiting);
      const going = open.subarray(0, until - out);
      waiting = going.byteLength < open.byteLength ? [open.slice(going.byteLength)] : [];
      out += going.byteLength;
      return going;
    },
    held: () => joinBytes(waiting),
  };
}
