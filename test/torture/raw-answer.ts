import { brotliCompressSync, gzipSync } from "node:zlib";
import { pick, type Random } from "../support/seeded.ts";

/** The bytes that a provider sends for one call, and its next action. */
export interface RawAnswer {
  readonly what: string;
  /** Written one after the other, each in a separate packet if the system allows. */
  readonly pieces: readonly Buffer[];
  readonly after: "keep" | "end" | "reset";
  /** The answer's body if it is whole; otherwise no client may get it as a whole answer. */
  readonly whole: string | undefined;
}

/** A reply that names its call, of any length. */
export function bodyFor(call: number, random: Random): string {
  const content = `Answer ${call}: ${"words of it, and more. ".repeat(Math.floor(random() ** 4 * 4_000))}`;
  const message = { role: "assistant", content };
  return JSON.stringify({
    id: `c-${call}`,
    object: "chat.completion",
    model: "gpt-4o",
    choices: [{ index: 0, message, finish_reason: "stop" }],
  });
}

type Make = (body: string, random: Random) => Omit<RawAnswer, "what">;

const head = (...lines: readonly string[]): string =>
  ["HTTP/1.1 200 OK", "Content-Type: application/json", ...lines, "", ""].join("\r\n");

const withLength = (body: Buffer | string, ...lines: readonly string[]): Buffer =>
  Buffer.concat([
    Buffer.from(head(...lines, `Content-Length: ${Buffer.byteLength(body)}`)),
    Buffer.from(body),
  ]);

function chunked(body: Buffer | string, random: Random, ...lines: readonly string[]): Buffer {
  const bytes = Buffer.from(body);
  const chunks: Buffer[] = [];
  for (let from = 0; from < bytes.length;) {
    const chunk = bytes.subarray(from, from + 1 + Math.floor(random() * 5_000));
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n"));
    from += chunk.length;
  }
  return Buffer.concat([
    Buffer.from(head(...lines, "Transfer-Encoding: chunked")),
    ...chunks,
    Buffer.from("0\r\n\r\n"),
  ]);
}

/** Bytes in up to four pieces. */
function inPieces(bytes: Buffer, random: Random): readonly Buffer[] {
  const cuts = Array.from({ length: Math.floor(random() * 4) }, () => Math.floor(random() * bytes.length));
  const ends = [...cuts.toSorted((one, other) => one - other), bytes.length];
  return ends
    .map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
    .filter(({ length }) => length > 0);
}

const compressed = (body: string, random: Random): readonly [encoding: string, bytes: Buffer] =>
  pick(random, [
    ["gzip", gzipSync(body)],
    ["br", brotliCompressSync(body)],
  ]);

const wholeAs =
  (bytesOf: (body: string, random: Random) => Buffer): Make =>
  (body, random) => ({
    pieces: inPieces(bytesOf(body, random), random),
    after: pick(random, ["keep", "keep", "end"]),
    whole: body,
  });

const brokenAs =
  (bytesOf: (body: string, random: Random) => Buffer): Make =>
  (body, random) => ({
    pieces: inPieces(bytesOf(body, random), random),
    after: pick(random, ["end", "reset"]),
    whole: undefined,
  });

/** Somewhere before its last byte. */
const cut = (bytes: Buffer, random: Random): Buffer => bytes.subarray(0, Math.floor(random() * bytes.length));

const withBitFlipped = (bytes: Buffer, random: Random): Buffer => {
  const damaged = Buffer.from(bytes);
  const at = Math.floor(random() * damaged.length);
  damaged[at] = (damaged[at] ?? 0) ^ (1 << Math.floor(random() * 8));
  return damaged;
};

const gzipOf = (body: string): Buffer => withLength(gzipSync(body), "Content-Encoding: gzip");

const ANSWERS: readonly (readonly [what: string, make: Make])[] = [
  ["with its length", wholeAs((body) => withLength(body))],
  ["in chunks", wholeAs((body, random) => chunked(body, random))],
  [
    "compressed",
    wholeAs((body, random) => {
      const [encoding, bytes] = compressed(body, random);
      return withLength(bytes, `Content-Encoding: ${encoding}`);
    }),
  ],
  [
    "compressed, in chunks",
    wholeAs((body, random) => {
      const [encoding, bytes] = compressed(body, random);
      return chunked(bytes, random, `Content-Encoding: ${encoding}`);
    }),
  ],
  [
    "behind others that are none",
    wholeAs((body, random) =>
      Buffer.concat([
        Buffer.from("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n".repeat(Math.floor(random() * 4))),
        withLength(body),
      ]),
    ),
  ],
  ["cut off", brokenAs((body, random) => cut(withLength(body), random))],
  ["cut off in its chunks", brokenAs((body, random) => cut(chunked(body, random), random))],
  ["compressed and cut off", brokenAs((body, random) => cut(gzipOf(body), random))],
  [
    "compressed, and cut off before that",
    // At least a byte, because an empty body is whole in any encoding.
    brokenAs((body, random) => {
      const bytes = gzipSync(body);
      const cutOff = bytes.subarray(0, 1 + Math.floor(random() * (bytes.length - 1)));
      return withLength(cutOff, "Content-Encoding: gzip");
    }),
  ],
  ["declared as compressed", brokenAs((body) => withLength(body, "Content-Encoding: gzip"))],
  [
    "with a chunk of no size",
    brokenAs((body) => Buffer.from(`${head("Transfer-Encoding: chunked")}zz\r\n${body}\r\n0\r\n\r\n`)),
  ],
  [
    "with two lengths",
    brokenAs((body) => Buffer.from(`${head("Content-Length: 5", "Content-Length: 7")}${body}`)),
  ],
  ["no HTTP", brokenAs((_, random) => Buffer.from(Array.from({ length: 90 }, () => random() * 256)))],
  ["nothing", brokenAs(() => Buffer.alloc(0))],
  [
    "with a head that is too long",
    brokenAs((body) =>
      withLength(body, ...Array.from({ length: 400 }, (_, nth) => `X-${nth}: ${"a".repeat(990)}`)),
    ),
  ],
];

/** Bytes that a client reads at once. */
const AT_ONCE = 16_384;

/**
 * With more bytes after its end, as if for another call; they belong to none. They arrive together with the answer: to any
 * HTTP client, bytes that arrive after the next call was sent are the answer to that call.
 */
const FOLLOWED: Make = (body, random) => {
  const bytes = pick(random, [withLength(body), chunked(body, random)]);
  const both = Buffer.concat([bytes, withLength(bodyFor(-1, () => 0))]);
  return { pieces: [both.length > AT_ONCE ? bytes : both], after: "keep", whole: body };
};

/** With changed bits: only the survival of the server is promised. */
const DAMAGED: Make = (body, random) => ({
  ...brokenAs(() => withBitFlipped(gzipOf(body), random))(body, random),
  whole: body,
});

/** What chance has a provider answer to a call. */
export function anAnswer(body: string, random: Random): RawAnswer {
  const all = [...ANSWERS, ["followed by another", FOLLOWED] as const, ["damaged", DAMAGED] as const];
  const [what, make] = all[Math.floor(random() * all.length)] ?? all[0] ?? ["damaged", DAMAGED];
  return { what, ...make(body, random) };
}
