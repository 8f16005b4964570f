import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { CallEvent, Mode } from "../../src/core/call/call.ts";
import { openDeck } from "../../src/deck/deck.ts";
import { aFolder } from "../support/a-folder.ts";
import { aServer } from "../support/a-server.ts";
import { nextCall } from "./a-project.ts";

interface RequestOptions {
  readonly provider?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request in short: "openai /v1/models?a=1 | accept: text/csv". Without a provider it is one to "pages", at /v1/x. */
function requestOf(short: string, body?: string): RequestOptions {
  const [address = "", ...lines] = short.split(" | ");
  const [, provider, path] = /^([a-z]*) ?(\/.*)?$/.exec(address) ?? [];
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(": ") + 2)]),
  );
  return {
    ...(provider && { provider }),
    ...(path && { path }),
    headers,
    ...(body !== undefined && { body }),
  };
}
/** The same bytes with another content type. */
const sound = (type: string): RequestOptions => requestOf(` | content-type: ${type}`, "RIFF");
/** One request to Bedrock, with this header. */
const invoked = (header = ""): RequestOptions =>
  requestOf(`bedrock /model/m/invoke | content-type: application/json${header && ` | ${header}`}`, "{}");
const having = (header: string): RequestOptions => requestOf(` | ${header}`, "{}");
const dated = (date: string): RequestOptions => requestOf(`openai /v1/models | date: ${date}`);
const beta = (value: string): RequestOptions => requestOf(` | anthropic-beta: ${value}`);
const ignoring = (ignoreHeader: string): object => ({ ignoreHeader });

const PROVIDERS = ["pages", "ids", "openai", "gemini", "bedrock", "anthropic"];

/** Providers on one address that never answer the same twice. */
async function aCounter() {
  const root = aFolder();
  const dir = join(root, ".tapedeck");
  let count = 0;
  const upstream = await aServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ count: ++count }));
    });
  });
  const deck = openDeck({
    dir,
    upstreams: Object.fromEntries(PROVIDERS.map((name) => [name, upstream])),
  });
  onTestFinished(() => deck.close());
  const server = await deck.listen();
  const ask = async (
    mode: Mode,
    { provider = "pages", path = "/v1/x", headers = {}, body }: RequestOptions,
  ): Promise<CallEvent & { readonly text: string }> => {
    const told = nextCall(deck);
    const { url } = server.admit(deck.createRun(mode));
    const sent = body === undefined ? {} : { method: "POST", body };
    const reply = await fetch(`${url}/${provider}${path}`, { headers, ...sent });
    const text = await reply.text();
    return { ...(await told), text };
  };
  const fileOf = (entry: string | null): string => join(dir, entry ?? "");
  return {
    ask,
    text: (entry: string | null) => readFileSync(fileOf(entry), "utf8"),
    say: async (config: unknown) => {
      writeFileSync(join(root, "tapedeck.jsonc"), JSON.stringify(config));
      await deck.project.reload();
    },
  };
}

const outcomes = (events: readonly CallEvent[]): readonly string[] => events.map(({ outcome }) => outcome);

describe("calls that get another answer are other calls", () => {
  it.each<readonly [string, RequestOptions, RequestOptions]>([
    ["a user as key", requestOf("/v1/x?key=user1"), requestOf("/v1/x?key=user2")],
    ["a page as token", requestOf("/v1/x?token=page2"), requestOf("/v1/x?token=page3")],
    [
      "two pages as long tokens, of a provider without a key in its query",
      requestOf("ids /v1/x?token=01890a5d-ac96-774b-bcce-b302099a8057"),
      requestOf("ids /v1/x?token=01890a5d-ac96-774b-bcce-b302099a8058"),
    ],
    ["another form", requestOf(" | accept: image/png"), requestOf(" | accept: image/webp")],
    ["a form at all", requestOf(" | accept: text/csv"), {}],
    ["another beta", beta("a"), beta("a,b")],
    ["another range", requestOf(" | range: bytes=0-9"), requestOf(" | range: bytes=10-19")],
    [
      "facts that are known already",
      requestOf('openai /v1/models | if-none-match: "1"'),
      requestOf("openai /v1/models"),
    ],
    ["sound of another rate", sound("audio/l16;rate=8000"), sound("audio/l16;rate=16000")],
    ["a form and a table", sound("application/x-www-form-urlencoded"), sound("text/csv")],
    ["other fields", requestOf(" | x-goog-fieldmask: a,b"), requestOf(" | x-goog-fieldmask: a")],
    ["another method inside", requestOf(" | x-http-method-override: PATCH"), {}],
    ["events asked for by a header", requestOf(" | x-dashscope-sse: enable"), {}],
    [
      "another version of Anthropic's interface",
      requestOf("anthropic /v1/models | anthropic-version: 2023-01-01"),
      requestOf("anthropic /v1/models | anthropic-version: 2023-06-01"),
    ],
    [
      "a model that a gateway reads from a header",
      having("ai-language-model-id: openai/gpt-5"),
      having("ai-language-model-id: anthropic/claude-4"),
    ],
    [
      "an action that AWS reads from a header",
      having("x-amz-target: Comprehend_20171127.DetectSentiment"),
      having("x-amz-target: Comprehend_20171127.DetectEntities"),
    ],
    ["a service tier of Bedrock's", invoked("x-amzn-bedrock-service-tier: flex"), invoked()],
    ["a trace of Bedrock's", invoked("x-amzn-bedrock-trace: ENABLED"), invoked()],
    ["a picture of Bedrock's", invoked("accept: image/png"), invoked("accept: application/json")],
  ])("%s", async (_, one, other) => {
    const { ask, say } = await aCounter();
    await say({ credentials: { ids: [], pages: ["who"] } });
    const first = await ask("record", one);

    const missed = await ask("strict", other);
    const second = await ask("record", other);
    const again = [await ask("strict", one), await ask("strict", other)];

    expect(outcomes([first, missed, second, ...again])).toEqual([
      "recorded",
      "miss",
      "recorded",
      "replayed",
      "replayed",
    ]);
    expect(again.map(({ text }) => text)).toEqual([first.text, second.text]);
    expect(missed.miss?.nearest?.differences).toHaveLength(1);
    expect(missed.miss?.nearest?.differences[0]?.text).toMatch(/^(?:query|header) /);
  });

  it.each<readonly [string, RequestOptions, RequestOptions]>([
    [
      "a credential in the query",
      requestOf("/v1/x?who=sk-0123456789abcdefghij&api_key=a"),
      requestOf("/v1/x?who=short&api_key=b"),
    ],
    [
      "Gemini's key, however short",
      requestOf("gemini /v1beta/models?key=abc"),
      requestOf("gemini /v1beta/models?key=def"),
    ],
    ["what every SDK accepts", requestOf(" | accept: application/json"), requestOf(" | accept: */*")],
    [
      "headers that a known operation ignores",
      requestOf("openai /v1/models | accept: text/event-stream"),
      requestOf("openai /v1/models"),
    ],
    ["an order of betas", beta("a, b"), beta("b,a,b")],
    ["a spelling of one type", sound("audio/L16; rate=8000"), sound("audio/l16;rate=8000")],
    ["UTF-8 as charset", sound("text/csv; charset=UTF-8"), sound("text/csv")],
    ["a generic type", sound("application/octet-stream"), sound("text/plain")],
    ["a language of the machine's", { headers: { "accept-language": "de-DE, de;q=0.9" } }, {}],
    ["other headers", { headers: { "user-agent": "a", "x-trace": "1" } }, { headers: { "x-trace": "2" } }],
  ])("but not by %s", async (_, one, other) => {
    const { ask, say } = await aCounter();
    await say({ credentials: { pages: ["who"] } });
    await ask("record", one);

    expect((await ask("strict", other)).outcome).toBe("replayed");
  });
});

it("a call with a header that takes part is distinguished from one without it", async () => {
  const { ask, text } = await aCounter();
  const plain = await ask("record", {});

  expect(text(plain.entry)).toContain('"headers": {}');
  expect((await ask("strict", beta("files"))).outcome).toBe("miss");
});

describe("a rule for headers", () => {
  it("distinguishes calls by one more header, and records its value", async () => {
    const { ask, say, text } = await aCounter();
    const as = (form: string): RequestOptions => ({ headers: { "x-return-format": form } });
    await say({ normalize: [{ header: "X-Return-Format", provider: "pages" }] });

    const markdown = await ask("record", as("markdown"));
    const html = await ask("record", as("html"));
    const again = await ask("strict", as("markdown"));

    expect(outcomes([markdown, html, again])).toEqual(["recorded", "recorded", "replayed"]);
    expect(again.text).toBe(markdown.text);
    expect(text(html.entry)).toMatch(/"headers": \{\s*"x-return-format": "html"\s*\}/);
  });

  it.each<readonly [string, object, RequestOptions, RequestOptions]>([
    ["finds a call again by a date", { header: "date" }, dated("Thu, 26 Nov"), dated("Thu, 26 Nov")],
    ["may leave out what bytes are", ignoring("content-type"), sound("audio/wav"), sound("audio/mpeg")],
    ["leaves one out", ignoring("anthropic-beta"), beta("a"), beta("b")],
  ])("%s", async (_, rule, recorded, asked) => {
    const { ask, say } = await aCounter();
    await say({ normalize: [rule] });
    await ask("record", recorded);

    expect((await ask("strict", asked)).outcome).toBe("replayed");
  });
});
