import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { rootDir } from "../../scripts/host/paths.mjs";
import { openDeck } from "../../src/deck/deck.ts";
import { casesOf } from "../support/cases.ts";
import { aServer } from "../support/a-server.ts";
import { aProject, tapedeck } from "./tapedeck.ts";

/*
 * The same calls go out by each way on which calls come to Tapedeck, and past it: what a provider gets and what a
 * client gets is compared byte by byte.
 */
const CALLS = casesOf({ quick: 40, long: 1_000 });

/** Makes the calls and gives what came of each: status, headers, and the pieces as one text. */
const ASKING = `async (fetch, origin, count) => {
  const found = [];
  for (let index = 0; index < count; index += 1) {
    const stream = index % 3 === 1;
    const content = "é\\u0000 \\u2028".repeat((index * 37) % 900) + index;
    const body = index % 5 === 4 ? undefined : JSON.stringify({ model: "m", stream, n: 1.0, messages: [{ role: "user", content }] }, null, index % 2);
    const headers = { ...(body && { "content-type": "application/json" }), "X-Own": "a  b", accept: "*/*", authorization: "Bearer sk-own", "user-agent": "asking/" + index };
    const path = body ? "/v1/chat/completions" : "/v1/models?after=" + index + "&a=%2F%20b+c";
    const reply = await fetch(origin + path, { method: body ? "POST" : "GET", headers, body });
    found.push({ status: reply.status, headers: [...reply.headers], text: await reply.text() });
  }
  return found;
}`;

const PROGRAM = `
import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";
const { EnvHttpProxyAgent, fetch, setGlobalDispatcher } = createRequire(${JSON.stringify(join(rootDir, "node_modules", "x.js"))})("undici");
if (process.env.HTTPS_PROXY) setGlobalDispatcher(new EnvHttpProxyAgent());
const origin = process.argv[2] === "variable" ? process.env.OPENAI_BASE_URL.replace(/\\/v1$/, "") : "https://api.openai.com";
const asking = ${ASKING};
writeFileSync("found.json", JSON.stringify(await asking(fetch, origin, ${CALLS})));
process.exit(0);
`;

type Headers = readonly (readonly [string, string])[];
interface ReceivedReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}
interface SentRequest {
  readonly method: string | undefined;
  readonly url: string;
  readonly headers: Headers;
  /** Of its body. */
  readonly digest: string;
}
interface Transcript {
  readonly got: readonly ReceivedReply[];
  readonly sent: readonly SentRequest[];
}

/** A provider whose answer follows from the question alone; gives what it got. */
async function aProvider() {
  const sent: SentRequest[] = [];
  const origin = await aServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const body = Buffer.concat(pieces);
      const digest = createHash("sha256").update(body).digest("hex");
      const { method, url = "", rawHeaders: raw } = request;
      const headers = raw.flatMap((name, at) => (at % 2 ? [] : [[name, raw[at + 1] ?? ""] as const]));
      sent.push({ method, url, headers, digest });
      const isStream = /"stream": ?true/.test(body.toString());
      response.writeHead(200, {
        "content-type": isStream ? "text/event-stream; charset=utf-8" : "application/json",
        "x-request-id": `req-${sent.length}`,
        "x-ratelimit-remaining-requests": "7",
      });
      for (const piece of isStream
        ? streamOf(digest)
        : ["{", '"said": "ü\u2028",  ', `"of": "${digest}"`, "}\n"])
        response.write(piece);
      response.end();
    });
  });
  return { origin, sent };
}

function streamOf(word: string): readonly string[] {
  const chunk = (content: string): string =>
    `data: {"choices":[{"index":0,"delta":{"content":"${content}"}}]}\r\n\r\n`;
  return [": waits\n\n", chunk("ü\u2028"), chunk(word), "data: [DONE]\n\n"];
}

/** The calls of a program that `tapedeck run` starts. */
async function byProgram(way: string, ...options: readonly string[]): Promise<Transcript> {
  const { origin, sent } = await aProvider();
  const cwd = aProject({ "ask.mjs": PROGRAM });
  const command = ["--", process.execPath, "ask.mjs", way];
  const { stderr } = await tapedeck(
    ["run", "--mode", "record", "--upstream", `openai=${origin}`, ...options, ...command],
    { cwd },
  );
  expect(stderr).toContain("recorded");
  return { got: JSON.parse(readFileSync(join(cwd, "found.json"), "utf8")) as Transcript["got"], sent };
}

type Asking = (fetch: unknown, origin: string, count: number) => Promise<Transcript["got"]>;
// eslint-disable-next-line no-eval -- the text that the programs run
const asking = (0, eval)(ASKING) as Asking;

async function byLibrary(): Promise<Transcript> {
  const { origin, sent } = await aProvider();
  const deck = openDeck({ dir: join(aProject(), ".tapedeck"), upstreams: { openai: origin } });
  onTestFinished(() => deck.close());
  return { got: await asking(deck.fetch(deck.createRun("record")), origin, CALLS), sent };
}

async function past(): Promise<Transcript> {
  const { origin, sent } = await aProvider();
  return { got: await asking(fetch, origin, CALLS), sent };
}

const WAYS: Readonly<Record<string, () => Promise<Transcript>>> = {
  "the guard": () => byProgram("code"),
  "the library": byLibrary,
  "the variable": () => byProgram("variable", "--no-guard"),
  "the proxy": () => byProgram("code", "--no-guard", "--proxy"),
};

/**
 * Headers that belong to a connection or name its other end, and those that Node's `fetch` adds to a client's. Names
 * have no case, and no order among each other.
 */
const OF_CONNECTION =
  /^(?:host|connection|keep-alive|transfer-encoding|date|accept-encoding|accept-language|sec-fetch-mode|x-tapedeck-.*)$/;

function endToEnd(pairs: Headers): readonly string[] {
  return pairs
    .map(([name, value]) => [name.toLowerCase(), value])
    .filter(([name = ""]) => !OF_CONNECTION.test(name))
    .map((pair) => pair.join(": "))
    .sort();
}

/** Of an answer: that one of known length comes with its length, and not in chunks, is the server's own. */
function answered(pairs: Headers): readonly string[] {
  return endToEnd(pairs).filter((pair) => !pair.startsWith("content-length:"));
}

test.each(casesOf({ quick: ["the guard", "the library"], long: Object.keys(WAYS) }))(
  `${CALLS} calls by %s: neither the provider nor the client gets anything else than past Tapedeck`,
  async (way) => {
    const expected = await past();

    const { got, sent } = (await WAYS[way]?.()) ?? { got: [], sent: [] };

    expect(sent.map(({ headers, ...rest }) => ({ ...rest, headers: endToEnd(headers) }))).toEqual(
      expected.sent.map(({ headers, ...rest }) => ({ ...rest, headers: endToEnd(headers) })),
    );
    expect(got.map(({ headers, ...rest }) => ({ ...rest, headers: answered(headers) }))).toEqual(
      expected.got.map(({ headers, ...rest }) => ({ ...rest, headers: answered(headers) })),
    );
    // Replies come as they are kept.
    const asked = sent.map(({ headers }) => new Map(headers).get("accept-encoding"));
    expect(new Set(asked)).toEqual(new Set(["identity"]));
  },
);
