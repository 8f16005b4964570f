import { casesOf } from "../../../support/cases.ts";
import { describe, expect, it } from "vitest";
import { createProviders } from "../../../../src/core/protocol/registry.ts";
import type { Call, WireHeaders } from "../../../../src/core/call/call.ts";
import type { IncomingReply } from "../../../../src/core/answer/source/source.ts";
import { cutBody } from "../../../../src/core/base/wire/framing.ts";
import { anEngine, aRun, chatCall, type EngineUnderTest } from "../../../support/an-engine.ts";
import { replyOf } from "../../../support/reply-of.ts";
import { trafficFixture, type TrafficFixture } from "../../../support/traffic-fixture.ts";

const MODEL = "/v1beta/models/gemini-2.5-flash";
const GENERATION = "/api/v1/services/aigc/text-generation/generation";
const SSE: WireHeaders = [["x-dashscope-sse", "enable"]];

interface Family {
  /** Of its fixtures; the provider's name unless it is given. */
  readonly folder?: string;
  readonly provider: string;
  readonly path: string;
  readonly fixture: string;
  readonly headers?: WireHeaders;
}

const CHAT = { folder: "openai-chat", provider: "openai", path: "/v1/chat/completions" };
const RESPONSES = { folder: "openai-responses", provider: "openai", path: "/v1/responses" };
const COMPLETIONS = { folder: "openai-completions", provider: "openai", path: "/v1/completions" };
const IMAGES = { folder: "openai-images", provider: "openai", path: "/v1/images/generations" };
const AUDIO = { folder: "openai-audio", provider: "openai", path: "/v1/audio/transcriptions" };
const MESSAGES = { folder: "anthropic-messages", provider: "anthropic", path: "/v1/messages" };
const DASHSCOPE = { provider: "dashscope", path: GENERATION, headers: SSE };

const answersAt = (provider: string, path: string) => ({ provider, path });
const GEMINI = answersAt("gemini", `${MODEL}:streamGenerateContent?alt=sse`);
const GEMINI_ARRAY = answersAt("gemini", `${MODEL}:streamGenerateContent`);
const CONVERSE = answersAt("bedrock", "/model/m/converse-stream");
const INVOKE = answersAt("bedrock", "/model/m/invoke-with-response-stream");

const of = (family: Omit<Family, "fixture">, fixtures: string): readonly Family[] =>
  fixtures.split(" ").map((fixture) => ({ ...family, fixture }));

/** An answer of each kind that is whole; most of them are streams. */
const WHOLE: readonly Family[] = [
  ...of(CHAT, "stream"),
  ...of(RESPONSES, "stream nameless incomplete response"),
  ...of(COMPLETIONS, "stream"),
  ...of(IMAGES, "stream two"),
  ...of(AUDIO, "heard-stream transcription subtitles"),
  ...of(MESSAGES, "stream"),
  ...of(GEMINI, "stream"),
  ...of(GEMINI_ARRAY, "array"),
  ...of(answersAt("ollama", "/api/chat"), "stream"),
  ...of(answersAt("ollama", "/api/generate"), "generate-stream"),
  ...of(CONVERSE, "stream"),
  ...of(INVOKE, "invoke-stream"),
  ...of(answersAt("cohere", "/v2/chat"), "stream"),
  ...of(answersAt("cohere", "/v1/chat"), "stream-v1"),
  ...of(answersAt("mistral", "/v1/conversations"), "conversation-stream"),
  ...of(answersAt("mistral", "/v1/fim/completions"), "fim"),
  ...of(answersAt("openrouter", "/api/v1/chat/completions"), "stream"),
  ...of(DASHSCOPE, "stream"),
];

/** Replies that end well and are none: the page beside this test has why. */
const FAILED: readonly Family[] = [
  ...[CHAT, RESPONSES, COMPLETIONS, IMAGES, MESSAGES].flatMap((family) => of(family, "cut error-in-stream")),
  ...of(RESPONSES, "failed"),
  ...of(AUDIO, "heard-cut heard-failed"),
  ...of(answersAt("deepseek", "/chat/completions"), "gave-up"),
  ...of(answersAt("mistral", "/v1/chat/completions"), "gave-up"),
  ...of(answersAt("mistral", "/v1/conversations"), "conversation-failed"),
  ...of(GEMINI, "stream-error stream-cut"),
  ...of(GEMINI_ARRAY, "array-error array-cut"),
  ...of(answersAt("ollama", "/api/chat"), "error-in-stream cut"),
  ...of(CONVERSE, "stream-exception stream-cut stream-broken"),
  ...of(INVOKE, "invoke-stream-cut"),
  ...of(answersAt("cohere", "/v2/chat"), "error-in-stream cut"),
  ...of(DASHSCOPE, "stream-error stream-cut"),
];

const named = (families: readonly Family[]): (readonly [string, Family])[] =>
  families.map((family) => [`${family.folder ?? family.provider} ${family.fixture} ${family.path}`, family]);

describe.each(named(WHOLE))("%s", (_name, family) => {
  const { reply } = fixtureOf(family);

  it.each(casesOf({ quick: [64, 100_000], long: [1, 7, 64, 100_000] }))(
    "in pieces of %i bytes is recorded, and replayed byte for byte",
    async (size) => {
      const tested = engineWith(() => incoming(reply, size));

      const recorded = await ask(tested, family, "record");
      const replayed = await ask(tested, family, "strict");

      expect(recorded).toEqual({ outcome: "recorded", body: Buffer.from(reply.body) });
      expect(replayed).toEqual({ outcome: "replayed", body: Buffer.from(reply.body) });
    },
  );

  it("that is cut by its upstream is passed on and not recorded, wherever it is cut", async () => {
    for (let at = 1; at < reply.body.byteLength - 30; at += casesOf({ quick: 197, long: 23 })) {
      const part = { ...reply, body: reply.body.subarray(0, at) };
      const tested = engineWith(() => incoming(part, 50, new Error("gone")));

      const { outcome } = await ask(tested, family, "record");

      expect([at, outcome, tested.events[0]?.reason]).toEqual([
        at,
        "forwarded",
        `The connection to ${family.provider} closed before the end of the response; it was forwarded and not recorded.`,
      ]);
      expect(await tested.store.list()).toEqual([]);
    }
  });

  it("that its client leaves, and that breaks off then, is not recorded", async () => {
    const client = new AbortController();
    const half = { ...reply, body: reply.body.subarray(0, reply.body.byteLength / 2) };
    const tested = engineWith(() => incoming(half, 20, new Error("aborted"), () => client.abort()));

    await ask(tested, family, "record", client.signal).catch(() => {});

    expect(await tested.store.list()).toEqual([]);
    expect(tested.events[0]?.reason).toMatch(/^(?:The connection to \w+ closed before|The client closed)/);
  });
});

it("an answer that ends well and is none is passed on and not recorded, with the reason", async () => {
  const lines: string[] = [];
  for (const [name, family] of named(FAILED)) {
    const { reply } = fixtureOf(family);
    const tested = engineWith(() => incoming(reply, 33));

    const answer = await ask(tested, family, "record");

    expect([name, answer]).toEqual([name, { outcome: "forwarded", body: Buffer.from(reply.body) }]);
    expect(await tested.store.list()).toEqual([]);
    lines.push(`${name}\n  ${tested.events[0]?.reason}\n`);
  }

  // `vitest FILE -u` writes the page anew.
  await expect(lines.join("")).toMatchFileSnapshot("failed-answers.txt");
});

describe("the whole answer or none", () => {
  it.each<readonly [string, chunks: string, isWhole: boolean]>([
    ["one choice that finished", "0: 0:stop", true],
    ["two choices that finished", "0:stop 1: 1:length", true],
    ["two choices, only one finished", "0:stop 1:", false],
    ["a choice that did not finish", "0:", false],
    ["no choice", "", false],
  ])("a chat stream without [DONE] and with %s: recorded only if whole", async (_, chunks, isWhole) => {
    const text = chunks
      .split(" ")
      .filter((chunk) => chunk !== "")
      .map((chunk) => chunk.split(":"))
      .map(([index, reason]) => ({
        choices: [{ index: Number(index), delta: { content: "a" }, finish_reason: reason || null }],
      }))
      .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
      .join("");
    const tested = engineWith(() => incoming(streamed(text), 7));

    await ask(tested, { ...CHAT, fixture: "cut" }, "record");

    expect(await tested.store.list()).toHaveLength(isWhole ? 1 : 0);
  });

  it.each([
    ["a stop_reason", { stop_reason: "end_turn" }, true],
    ["no stop_reason", { stop_reason: null }, false],
  ])(
    "an Anthropic stream without message_stop and with %s: recorded only if whole",
    async (_, delta, isWhole) => {
      const events = [
        { type: "message_start", message: { id: "m", role: "assistant", content: [] } },
        { type: "message_delta", delta, usage: { output_tokens: 1 } },
      ];
      const text = events.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`).join("");
      const tested = engineWith(() => incoming(streamed(text), 7));

      await ask(tested, { ...MESSAGES, fixture: "cut" }, "record");

      expect(await tested.store.list()).toHaveLength(isWhole ? 1 : 0);
    },
  );

  it("of a stream of pictures ends with its body, however long the next picture takes", async () => {
    const family: Family = { ...IMAGES, fixture: "two" };
    const { reply } = fixtureOf(family);
    const beginning = cutBody(reply.body, "events")
      .slice(0, 2)
      .reduce((sum, { byteLength }) => sum + byteLength, 0);
    const tested = engineWith(() => ({ ...incoming(reply, 1), body: slow() }));
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield reply.body.subarray(0, beginning);
      await new Promise((resolve) => setImmediate(resolve));
      tested.clock.advance(60_000);
      await new Promise((resolve) => setImmediate(resolve));
      yield reply.body.subarray(beginning);
    }

    const { body } = await ask(tested, family, "record");

    expect(body).toEqual(Buffer.from(reply.body));
    const [address] = await tested.store.list();
    expect(Buffer.from((await replyOf(tested.store, address!.entry)).body)).toEqual(body);
  });

  it("is an upload and an answer in one piece, too: an error in it is not recorded", async () => {
    const error = jsonReply('{"error":{"message":"no","type":"server_error"}}');
    const tested = engineWith(() => incoming(error, 7));

    await ask(tested, { ...AUDIO, fixture: "transcription" }, "record");

    expect(await tested.store.list()).toEqual([]);
    expect(tested.events[0]?.reason).toContain("not a complete audio.transcriptions response");
  });
});

describe("a Bedrock call that is signed", () => {
  const signed: Family = {
    provider: "bedrock",
    path: "/model/m/converse-stream",
    fixture: "stream",
    headers: [
      [
        "authorization",
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261121/us-east-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date, Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
      ],
    ],
  };

  it("is not sent, and the message names what to use instead", async () => {
    const tested = engineWith(() => incoming(fixtureOf(signed).reply, 50));

    const { outcome, body } = await ask(tested, signed, "record");

    expect(outcome).toBe("refused");
    expect(tested.sent).toEqual([]);
    expect(JSON.parse(body.toString())).toEqual({
      __type: "tapedeck_refused",
      message:
        "The call to bedrock is signed for Tapedeck's address (AWS Signature Version 4), so bedrock would reject it. Nothing was sent. Set AWS_BEARER_TOKEN_BEDROCK to an API key of bedrock in the environment of the tests, and record again. Replaying needs no credentials.",
    });
  });

  it("is forwarded to a gateway that the user configured", async () => {
    const providers = createProviders({ bedrock: "https://gateway.example" });
    const tested = anEngine(() => incoming(fixtureOf(signed).reply, 50), { providers });

    expect((await ask(tested, signed, "record")).outcome).toBe("recorded");
  });

  it("is replayed like any other", async () => {
    const tested = engineWith(() => incoming(fixtureOf(signed).reply, 50));
    const { headers: _headers, ...unsigned } = signed;

    await ask(tested, unsigned, "record");

    expect((await ask(tested, signed, "strict")).outcome).toBe("replayed");
  });
});

it("a key in Gemini's query is forwarded, and is neither in the recording nor in its key", async () => {
  const { reply } = fixtureOf({ provider: "gemini", path: `${MODEL}:generateContent`, fixture: "generate" });
  const tested = engineWith(() => incoming(reply, 50));
  const withKey = (key: string): Family => ({
    ...answersAt("gemini", `${MODEL}:generateContent?key=${key}&alt=json`),
    fixture: "generate",
  });

  await ask(tested, withKey("AIza-first-secret"), "record");
  const replayed = await ask(tested, withKey("AIza-another-secret"), "strict");

  const [address] = await tested.store.list();
  const recording = await tested.store.read(address!.entry);
  expect(tested.sent[0]?.url).toContain("key=AIza-first-secret");
  expect(recording.request.path).toBe(`${MODEL}:generateContent?alt=json`);
  expect(replayed.outcome).toBe("replayed");
});

function fixtureOf({ provider, path, fixture, folder = provider }: Family): TrafficFixture {
  return trafficFixture(folder, fixture, { provider, path });
}

const streamed = (text: string) => ({
  status: 200,
  contentType: "text/event-stream",
  body: Buffer.from(text),
});
const jsonReply = (text: string) => ({ ...streamed(text), contentType: "application/json" });

function engineWith(upstream: () => IncomingReply): EngineUnderTest {
  const bedrock = "https://bedrock-runtime.us-east-1.amazonaws.com";
  return anEngine(upstream, { providers: createProviders({ bedrock }) });
}

function incoming(
  { status, contentType, body }: TrafficFixture["reply"],
  size: number,
  failure?: Error,
  onEnd: () => void = () => {},
): IncomingReply {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < body.byteLength; at += size) yield body.subarray(at, at + size);
    onEnd();
    if (failure !== undefined) throw failure;
  }
  return { status, headers: [["content-type", contentType]], body: pieces() };
}

async function ask(
  { engine }: EngineUnderTest,
  family: Family,
  mode: "record" | "strict",
  signal = new AbortController().signal,
): Promise<{ readonly outcome: string; readonly body: Buffer }> {
  const { asked, request } = fixtureOf(family);
  const sent = request.body.kind === "bytes" ? request.body : undefined;
  const call: Partial<Call> = {
    provider: family.provider,
    path: family.path,
    headers: [["content-type", sent?.contentType ?? "application/json"], ...(family.headers ?? [])],
    body: sent?.bytes ?? Buffer.from(JSON.stringify(asked)),
    signal,
  };
  const answer = await engine.answer(chatCall(aRun(mode), "", {}, call));
  const { body } = answer.reply;
  const chunks: Uint8Array[] = [];
  if (body instanceof Uint8Array) chunks.push(body);
  // A body that breaks off throws; what came before it counts.
  else
    try {
      for await (const chunk of body) chunks.push(chunk);
    } catch {
      chunks.push(Buffer.from("…"));
    }
  return { outcome: (await answer.settled).outcome, body: Buffer.concat(chunks) };
}
