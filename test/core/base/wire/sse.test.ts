import { array, assert, constant, constantFrom, nat, property, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import { createFrameCutter, cutFrames, readEvents, readFrame } from "../../../../src/core/base/wire/sse.ts";
import { encodeUtf8, joinBytes, decodeText } from "../../../../src/core/base/wire/text.ts";

const frames = (body: string): string[] => cutFrames(encodeUtf8(body)).map(decodeText);

/** Texts of line ends, fields, comments, byte order marks, and characters of several bytes. */
const bodies = array(
  constantFrom(..."\n¦\r¦\r\n¦\uFEFF¦data: x¦data¦:¦: note¦event: y¦id: 1¦ ¦é¦🙂¦a".split("¦")),
  {
    maxLength: 40,
  },
).map((pieces) => encodeUtf8(pieces.join("")));

/** A body and the places at which it is cut into chunks. */
const chunked = bodies.chain((body) =>
  tuple(
    constant(body),
    array(nat({ max: body.byteLength }), { maxLength: 12 }).map((cuts) => cuts.sort((a, b) => a - b)),
  ),
);

describe("cutting a stream into frames", () => {
  it("cuts after each blank line, whatever ends the lines, and keeps comments", () => {
    expect(frames(": note\ndata: a\n\r\ndata: b\r\n\n\ndata: c\n\rdata: d\n")).toEqual([
      ": note\ndata: a\n\r\n",
      "data: b\r\n\n",
      "\n",
      "data: c\n\r",
      "data: d\n",
    ]);
  });

  it("does not take a byte order mark for the beginning of a line", () => {
    expect(frames("\uFEFF\ndata: a\n\n")).toEqual(["\uFEFF\n", "data: a\n\n"]);
    expect(cutFrames(new Uint8Array([0xef, 0xbb, 0x0a, 0x0a, 0x61]))).toHaveLength(2);
  });

  it("gives back the body when its frames are joined, and cuts each frame at its own blank line only", () => {
    assert(
      property(bodies, (body) => {
        const cut = cutFrames(body);

        expect(joinBytes(cut)).toEqual(body);
        for (const [index, frame] of cut.entries()) {
          const text = index === 0 ? decodeText(frame).replace(/^\uFEFF/, "") : decodeText(frame);
          const blank = /(?:^|\r\n|\n|\r(?!\n))(?:\r\n|\n|\r)/.exec(text);
          expect(blank === null ? undefined : blank.index + blank[0].length).toBe(
            blank === null && index === cut.length - 1 ? undefined : text.length,
          );
        }
      }),
    );
  });

  it("gives the same frames for any chunking, with what is open at hand all the time", () => {
    assert(
      property(chunked, ([body, cuts]) => {
        const cutter = createFrameCutter();
        const got: Uint8Array[] = [];
        const edges = [0, ...cuts, body.byteLength];

        for (const [index, end] of edges.entries()) {
          got.push(...cutter.push(body.subarray(edges[index - 1] ?? 0, end)));
          expect(joinBytes([...got, cutter.rest()])).toEqual(body.subarray(0, end));
        }

        const rest = cutter.rest();
        expect(rest.byteLength > 0 ? [...got, rest] : got).toEqual(cutFrames(body));
      }),
    );
  });

  it("completes a frame with its last byte", () => {
    const cutter = createFrameCutter();

    expect(cutter.push(encodeUtf8("data: a\r\n\r"))).toEqual([]);
    expect(decodeText(cutter.rest())).toBe("data: a\r\n\r");
    expect(cutter.push(encodeUtf8("\n")).map(decodeText)).toEqual(["data: a\r\n\r\n"]);
    expect(cutter.rest()).toHaveLength(0);
  });
});

describe("reading a frame", () => {
  it("reads fields, joins data lines and takes one space away", () => {
    expect(readFrame("event: done\nid: 7\nretry: 250\ndata: a\ndata:  b\ndata\n\n")).toEqual({
      event: "done",
      id: "7",
      retry: 250,
      data: "a\n b\n",
    });
  });

  it("leaves out comments, unknown fields and values that have no meaning", () => {
    expect(readFrame("\uFEFF: note\nfoo: bar\nretry: soon\nid: a\0b\n\n")).toEqual({});
  });

  it("lists the events that a client receives, without comments and without an open last frame", () => {
    const body = encodeUtf8(": wait\n\nevent: a\r\ndata: 1\r\n\r\nid: 3\n\ndata: 2\n\ndata: cut off\n");

    expect(readEvents(body)).toEqual([{ event: "a", data: "1" }, { data: "2" }]);
  });
});
