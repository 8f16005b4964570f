import { CR, createCutter, cutAll, LF, type Cutter, type FindEnd } from "./cutter.ts";
import { decodeText } from "./text.ts";

/** The fields of one frame. Source: WHATWG HTML 9.2.6, "Interpreting an event stream". */
export interface SseFields {
  readonly event?: string;
  /** Data lines, joined by line feeds. Absent if the frame has none (a comment, only an id). */
  readonly data?: string;
  readonly id?: string;
  /** Milliseconds. */
  readonly retry?: number;
}

/** A frame with data, which a client receives as an event. */
export interface SseEvent extends SseFields {
  readonly data: string;
}

/**
 * Splits server-sent events after each blank line, which belongs to the frame that it closes.
 * Lines end with LF, CRLF, or CR. A comment is part of a frame or a separate frame, and so is a second blank line.
 * A blank line that ends with CR is complete only at the next byte, because an LF can follow.
 * Source: WHATWG HTML 9.2.5.
 */
export function createFrameCutter(): Cutter {
  const blankLine = findBlankLine();
  return createCutter(blankLine.find, blankLine.inLine);
}

/** Splits a complete body into frames. The last one can lack its blank line. */
export const cutFrames = (body: Uint8Array): Uint8Array[] => cutAll(createFrameCutter(), body);

/** The body that was read last: a reply is searched, written, and counted one after another. */
let last: { readonly body: Uint8Array; readonly frames: readonly string[] } | undefined;
/** Frames of longer bodies are not remembered. Bytes. */
const MOST_REMEMBERED = 1_048_576;

/** Splits a complete body, which must not change, into frames. Invalid bytes are replaced. */
export function listFrames(body: Uint8Array): readonly string[] {
  if (last?.body === body) return last.frames;
  const frames = cutFrames(body).map(decodeText);
  if (body.byteLength <= MOST_REMEMBERED) last = { body, frames };
  return frames;
}

/** Reads the events that a client receives from a complete body: without an incomplete last frame. */
export function readEvents(body: Uint8Array): SseEvent[] {
  return listFrames(body).flatMap((frame) => {
    const { data, ...fields } = readFrame(frame);
    return data !== undefined && CLOSED.test(frame) ? [{ ...fields, data }] : [];
  });
}

/** Reads the fields of a frame, complete or not. Omits comments and unknown fields. */
export function readFrame(frame: string): SseFields {
  const fields: { event?: string; id?: string; retry?: number } = {};
  const data: string[] = [];
  for (const line of frame.replace(BOM, "").split(LINE_END)) {
    const { name, value } = readLine(line);
    if (name === "data") data.push(value);
    else if (name === "event" && value !== "") fields.event = value;
    else if (name === "id" && !value.includes("\0")) fields.id = value;
    else if (name === "retry" && /^\d+$/.test(value)) fields.retry = Number(value);
  }
  return data.length > 0 ? { ...fields, data: data.join("\n") } : fields;
}

const BOM_BYTES = [0xef, 0xbb, 0xbf];
const BOM = /^\uFEFF/;
const LINE_END = /\r\n|\n|\r/;
/** Ends with a blank line; CRLF is one line end, not two. */
const CLOSED = /(?:^|\r\n|\n|\r(?!\n))(?:\r\n|\n|\r)$/;

function findBlankLine(): { readonly find: FindEnd; readonly inLine: () => boolean } {
  let lineIsEmpty = true;
  /** Set if the last byte was a CR: one that ended a line, or one that ended a blank line. */
  let carriage: "line" | "frame" | undefined;
  /** Bytes of a byte order mark received so far; undefined when it cannot be one. */
  let mark: number | undefined = 0;

  const inLine = (): boolean => !lineIsEmpty && carriage === undefined && mark === undefined;
  const find: FindEnd = (byte) => {
    const closing = carriage === "frame";
    // The LF of a CRLF belongs to the line that its CR ended.
    if (byte === LF && carriage !== undefined) {
      carriage = undefined;
      return closing ? "after" : undefined;
    }
    carriage = undefined;
    const end = closing ? "before" : undefined;
    if (byte === LF || byte === CR) {
      const blank = lineIsEmpty;
      lineIsEmpty = true;
      mark = undefined;
      if (byte === LF) return blank ? "after" : undefined;
      carriage = blank ? "frame" : "line";
      return end;
    }
    const marked = mark !== undefined && byte === BOM_BYTES[mark] ? mark + 1 : undefined;
    lineIsEmpty = marked === BOM_BYTES.length;
    mark = lineIsEmpty ? undefined : marked;
    return end;
  };
  return { find, inLine };
}

function readLine(line: string): { readonly name: string; readonly value: string } {
  const colon = line.indexOf(":");
  if (colon < 0) return { name: line, value: "" };
  const value = line.slice(colon + 1);
  return { name: line.slice(0, colon), value: value.startsWith(" ") ? value.slice(1) : value };
}
