import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { pick, type Random } from "../support/seeded.ts";

/** A request in its parts, so that it can be written in ways that no client would. */
export interface RawRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Latin-1: a character a byte. */
  readonly body: string;
}

export interface Mutated {
  readonly what: string;
  readonly bytes: string;
  /** Whether the request must be refused in any case. */
  readonly mustBeRefused: boolean;
}

type Change = (request: RawRequest, random: Random) => RawRequest | string;

/** Changes a request in one way that chance chooses, or in the way that is named. */
export function mutate(request: RawRequest, random: Random, named?: string): Mutated {
  const what = named ?? pick(random, MUTATIONS);
  const change = REFUSED[what] ?? ANSWERED_OR_REFUSED[what];
  if (change === undefined) throw new Error(`${what} is no way to change a request`);
  const changed = change(request, random);
  return {
    what,
    mustBeRefused: what in REFUSED,
    bytes: typeof changed === "string" ? changed : written(changed),
  };
}

function written({ method, target, headers, body }: RawRequest): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${target} HTTP/1.1`, ...lines, "", body].join("\r\n");
}

const withTarget =
  (change: (target: string, random: Random) => string): Change =>
  (request, random) => ({ ...request, target: change(request.target, random) });

const withToken = (change: (token: string, random: Random) => string): Change =>
  withTarget((target, random) => {
    const [, token = "", ...rest] = target.split("/");
    return ["", change(token, random), ...rest].join("/");
  });

const withHeader =
  (name: string, value: (random: Random) => string | undefined): Change =>
  (request, random) => {
    const others = request.headers.filter(([known]) => known.toLowerCase() !== name.toLowerCase());
    const given = value(random);
    return { ...request, headers: given === undefined ? others : [...others, [name, given]] };
  };

const added =
  (line: (random: Random) => string): Change =>
  (request, random) =>
    written({ ...request, headers: [...request.headers, ["X-Mark", "1"]] }).replace("X-Mark: 1", () =>
      line(random),
    );

const at = (random: Random, text: string): number => Math.floor(random() * text.length);
const flipped = (text: string, index: number, by: number): string =>
  text.slice(0, index) + String.fromCharCode(text.charCodeAt(index) ^ by) + text.slice(index + 1);

type Compressed = readonly [encoding: string, compress: (body: Buffer) => Buffer];
const COMPRESSED: readonly [Compressed, ...Compressed[]] = [
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
];

const PATH_TRICKS = ["/..", "/../x", "/%2e%2e/x", "/.%2E/x", "/./x", "/..\\x", "\\..\\x"] as const;

/** Requests that must be refused in any case. */
const REFUSED: Readonly<Record<string, Change>> = {
  "a bit of the token": withToken((token, random) =>
    flipped(token, at(random, token), 1 << Math.floor(random() * 5)),
  ),
  "the token cut": withToken((token, random) => token.slice(0, at(random, token))),
  "the token longer": withToken((token, random) => token + pick(random, ["x", "%00", "=", "."])),
  "the token escaped": withToken((token) => `%${token.charCodeAt(0).toString(16)}${token.slice(1)}`),
  "the token in another case": withToken((token) => token.toUpperCase()),
  "no token": withTarget((target) => target.replace(/^\/[^/]+/, "")),
  "a slash before the token": withTarget((target) => `/${target}`),
  "a whole address": withTarget(
    (target, random) => pick(random, ["http://evil.example", "https://127.0.0.1", "//evil.example"]) + target,
  ),
  "dot segments": withTarget((target, random) => target + pick(random, PATH_TRICKS)),
  "an unknown provider": withTarget((target) => target.replace("/openai/", "/nobody/")),
  "a foreign Host": withHeader("Host", (random) =>
    pick(random, [
      "evil.example",
      "127.0.0.1",
      "127.0.0.1:1",
      "localhost",
      "[::1]:80",
      "127.0.0.1.evil.example:80",
      "user@127.0.0.1",
      "",
    ]),
  ),
  "no Host": withHeader("Host", () => undefined),
  "two Hosts": added((random) => `Host: ${pick(random, ["evil.example", "127.0.0.1:1"])}`),
  "a foreign Origin": withHeader("Origin", (random) =>
    pick(random, ["https://evil.example", "http://localhost.evil.example", "file://", "vscode-webview://x"]),
  ),
  "a browser's metadata": withHeader("Sec-Fetch-Site", (random) =>
    pick(random, ["same-origin", "cross-site", "none"]),
  ),
  "a browser's mode": withHeader("Sec-Fetch-Mode", (random) =>
    pick(random, ["navigate", "no-cors", "websocket"]),
  ),
  "two lengths": added((random) => `Content-Length: ${Math.floor(random() * 1_000) + 1_000}`),
  "a length and chunks": added(
    (random) =>
      `Transfer-Encoding: ${pick(random, ["chunked", "xchunked", "chunked, identity", " chunked"])}`,
  ),
  "a length that is none": withHeader("Content-Length", (random) =>
    pick(random, ["-1", "+5", "0x10", "1e3", "1 2", "99999999999999999999"]),
  ),
  "a body over the limit": withHeader("Content-Length", () => String(65 * 1_048_576)),
};

const ANSWERED_OR_REFUSED: Readonly<Record<string, Change>> = {
  nothing: (request) => request,
  "a folded header": added(() => "X-A: 1\r\n folded"),
  "a blank before the colon": added(() => "X-A : 1"),
  "a lone line feed": (request) => written(request).replace("\r\n", "\n"),
  "a zero byte": added(() => "X-A: \0"),
  "many headers": added((random) =>
    Array.from({ length: Math.floor(random() * 3_000) }, (_, index) => `X-${index}: y`).join("\r\n"),
  ),
  "a long header": added((random) => `X-A: ${"a".repeat(Math.floor(random() * 60_000))}`),
  "a forged attribution": withHeader("x-tapedeck-test", (random) =>
    pick(random, ["%", "null", "[]", "%7B%22v%22%3A1%7D", "a".repeat(20_000)]),
  ),
  "another method": (request, random) => ({
    ...request,
    method: pick(random, ["GET", "PUT", "TRACE", "CONNECT", "OPTIONS", "FOO", "post"]),
  }),
  "another version": (request, random) =>
    written(request).replace("HTTP/1.1", pick(random, ["HTTP/1.0", "HTTP/2.0", "HTTP/9.9", "HTTP/1.1x"])),
  "an encoding that is none": withHeader("Content-Encoding", (random) =>
    pick(random, ["gzip", "br", "zstd", "rot13", "gzip, gzip"]),
  ),
  "a compressed body, whole or cut off": (request, random) => {
    const [encoding, compress] = pick(random, COMPRESSED);
    const whole = compress(Buffer.from(request.body, "latin1")).toString("latin1");
    const body = whole.slice(0, random() < 0.2 ? undefined : at(random, whole));
    const headers = request.headers.filter(([name]) => name !== "Content-Length");
    const length = ["Content-Length", String(body.length)] as const;
    return { ...request, headers: [...headers, ["Content-Encoding", encoding], length], body };
  },
  "a query": withTarget(
    (target, random) => `${target}?${pick(random, ["key=x", "%", "a=%zz", "?", "a".repeat(9_000)])}`,
  ),
  "a body cut": (request, random) => ({
    ...request,
    body: request.body.slice(0, at(random, request.body)),
  }),
  "another body": (request, random) => {
    const body = pick(random, ["{", '{"a":1,"a":2}', "[".repeat(2_000), "\u00ff\u00fe", '"\\ud800"', "null"]);
    return {
      ...request,
      headers: [
        ...request.headers.filter(([name]) => name !== "Content-Length"),
        ["Content-Length", String(body.length)],
      ],
      body,
    };
  },
  "some bytes": (request, random) => {
    let bytes = written(request);
    for (let changes = 1 + Math.floor(random() * 4); changes > 0; changes -= 1)
      bytes = flipped(bytes, at(random, bytes), 1 << Math.floor(random() * 8));
    return bytes;
  },
  "cut off": (request, random) => written(request).slice(0, at(random, written(request))),
  "only bytes": (_, random) =>
    Array.from({ length: Math.floor(random() * 300) }, () =>
      String.fromCharCode(Math.floor(random() * 256)),
    ).join(""),
};

const MUTATIONS = Object.keys({ ...REFUSED, ...ANSWERED_OR_REFUSED }) as [string, ...string[]];
