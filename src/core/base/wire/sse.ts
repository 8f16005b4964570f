import { CR, createCutter, cutAll, LF, type Cutter, type FindEnd } from "./cutter.ts";
import { textOf } from "./text.ts";

/** The fields of one frame. Source: WHATWG HTML 9.2.6, "Interpreting an event stream". */
export interface SseFields {
  readonly event?: string;
  /** The data lines, joined by line feeds. Absent where the frame has none (a comment, a lone id). */
  readonly data?: string;
  readonly id?: string;
  /** Milliseconds. */
  readonly retry?: number;
}

/** A frame that a client is told of, because it has data. */
export interface SseEvent extends SseFields {
  readonly data: string;
}

/**
 * Cuts a stream of server-sent events after each blank line, which belongs to the frame that it closes.
 * Lines end with LF, CRLF or CR; a comment or a second blank line is part of a frame or one of its own.
 * Source: WHATWG HTML 9.2.5. A blank line that ends with CR is closed by the next byte only, since LF may follow.
 */
export function createFrameCutter(): Cutter {
  const blankLine = findBlankLine();
  return createCutter(blankLine.find, blankLine.inLine);
}

/** The frames of a whole body; joined they are the body. A last one without a blank line is kept. */
export const cutFrames = (body: Uint8Array): Uint8Array[] => cutAll(createFrameCutter(), body);

/** The events of a whole body, as a client is told of them: a last frame that is not closed is not among them. */
export function readEvents(body: Uint8Array): SseEvent[] {
  return cutFrames(body).flatMap((bytes) => {
    const frame = textOf(bytes);
    const { data, ...fields } = readFrame(frame);
    return data !== undefined && CLOSED.test(frame) ? [{ ...fields, data }] : [];
  });
}

/** Reads the fields of a frame, closed or not. Comments and unknown fields are left out. */
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

/** What is known of a frame from its beginning. */
export interface FrameBeginning {
  /** The fields of the lines that are whole. */
  readonly fields: SseFields;
  /** The name of the last line's field, where its colon has been seen; "" for a comment. */
  readonly openName?: string;
  /** The last line's value as far as it is there, or its text where no colon has been seen. */
  readonly openValue: string;
}

/** Reads the beginning of a frame: whole lines as fields, and the line that is still being written. */
export function readBeginning(beginning: string): FrameBeginning {
  const lines = beginning.replace(BOM, "").split(LINE_END);
  const open = lines.pop() ?? "";
  const fields = readFrame(lines.join("\n"));
  if (!open.includes(":")) return { fields, openValue: open };
  const { name, value } = readLine(open);
  return { fields, openName: name, openValue: value };
}

const BOM_BYTES = [0xef, 0xbb, 0xbf];
const BOM = /^\uFEFF/;
const LINE_END = /\r\n|\n|\r/;
/** Ends with a blank line; CRLF is one line end, not two. */
const CLOSED = /(?:^|\r\n|\n|\r(?!\n))(?:\r\n|\n|\r)$/;

function findBlankLine(): { readonly find: FindEnd; readonly inLine: () => boolean } {
  let lineIsEmpty = true;
  /** The last byte was a CR that ended a line, or one that ended a blank line. */
  let carriage: "line" | "frame" | undefined;
  /** How much of a byte order mark has been seen; undefined once it cannot be one. */
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
