import { casesOf } from "../../../support/cases.ts";
import { describe, expect, it } from "vitest";
import { createProviders } from "../../../../src/core/protocol/registry.ts";
import type { Call, WireHeaders } from "../../../../src/core/call/call.ts";
import type { IncomingReply } from "../../../../src/core/answer/source/source.ts";
import { cutBody } from "../../../../src/core/base/wire/framing.ts";
import { anEngine, aRun, chatCall, textOf, type EngineUnderTest } from "../../../support/an-engine.ts";
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

/** An answer of each kind that is whole; most of them are streams. */
const WHOLE: readonly Family[] = [
  { ...CHAT, fixture: "stream" },
  ...["stream", "nameless", "incomplete", "response"].map((fixture) => ({ ...RESPONSES, fixture })),
  { ...COMPLETIONS, fixture: "stream" },
  ...["stream", "two"].map((fixture) => ({ ...IMAGES, fixture })),
  ...["heard-stream", "transcription", "subtitles"].map((fixture) => ({ ...AUDIO, fixture })),
  { ...MESSAGES, fixture: "stream" },
  { provider: "gemini", path: `${MODEL}:streamGenerateContent?alt=sse`, fixture: "stream" },
  { provider: "gemini", path: `${MODEL}:streamGenerateContent`, fixture: "array" },
  { provider: "ollama", path: "/api/chat", fixture: "stream" },
  { provider: "ollama", path: "/api/generate", fixture: "generate-stream" },
  { provider: "bedrock", path: "/model/m/converse-stream", fixture: "stream" },
  { provider: "bedrock", path: "/model/m/invoke-with-response-stream", fixture: "invoke-stream" },
  { provider: "cohere", path: "/v2/chat", fixture: "stream" },
  { provider: "cohere", path: "/v1/chat", fixture: "stream-v1" },
  { provider: "mistral", path: "/v1/conversations", fixture: "conversation-stream" },
  { provider: "mistral", path: "/v1/fim/completions", fixture: "fim" },
  { provider: "openrouter", path: "/api/v1/chat/completions", fixture: "stream" },
  { provider: "dashscope", path: GENERATION, fixture: "stream", headers: SSE },
];

/** Replies that end well and are none, and why. */
const ENDED = "The stream ended without its terminal event";
const FAILED: readonly (readonly [Family, reason: string])[] = [
  ...[CHAT, RESPONSES, COMPLETIONS, IMAGES, MESSAGES].flatMap((family) => [
    [{ ...family, fixture: "cut" }, ENDED] as const,
    [
      { ...family, fixture: "error-in-stream" },
      `${family.provider} reported an error inside the stream`,
    ] as const,
  ]),
  [{ ...RESPONSES, fixture: "failed" }, "openai reported an error inside the stream"],
  [{ ...AUDIO, fixture: "heard-cut" }, ENDED],
  [{ ...AUDIO, fixture: "heard-failed" }, "openai reported an error inside the stream"],
  [
    { provider: "deepseek", path: "/chat/completions", fixture: "gave-up" },
    "deepseek reported an error inside the stream",
  ],
  [
    { provider: "mistral", path: "/v1/chat/completions", fixture: "gave-up" },
    "The provider stopped the response (finish_reason error)",
  ],
  [
    { provider: "mistral", path: "/v1/conversations", fixture: "conversation-failed" },
    "mistral reported an error inside the stream",
  ],
  [
    { provider: "gemini", path: `${MODEL}:streamGenerateContent?alt=sse`, fixture: "stream-error" },
    "gemini reported an error inside the stream",
  ],
  [{ provider: "gemini", path: `${MODEL}:streamGenerateContent?alt=sse`, fixture: "stream-cut" }, ENDED],
  [
    { provider: "gemini", path: `${MODEL}:streamGenerateContent`, fixture: "array-error" },
    "gemini reported an error inside the stream",
  ],
  [{ provider: "gemini", path: `${MODEL}:streamGenerateContent`, fixture: "array-cut" }, ENDED],
  [
    { provider: "ollama", path: "/api/chat", fixture: "error-in-stream" },
    "ollama reported an error inside the stream",
  ],
  [{ provider: "ollama", path: "/api/chat", fixture: "cut" }, ENDED],
  [
    { provider: "bedrock", path: "/model/m/converse-stream", fixture: "stream-exception" },
    "bedrock reported an error inside the stream",
  ],
  [{ provider: "bedrock", path: "/model/m/converse-stream", fixture: "stream-cut" }, ENDED],
  [
    { provider: "bedrock", path: "/model/m/converse-stream", fixture: "stream-broken" },
    "The stream of bedrock is broken (message 2, at byte 130: its checksum does not match)",
  ],
  [
    { provider: "bedrock", path: "/model/m/invoke-with-response-stream", fixture: "invoke-stream-cut" },
    ENDED,
  ],
  [
    { provider: "cohere", path: "/v2/chat", fixture: "error-in-stream" },
    "cohere reported an error inside the stream",
  ],
  [{ provider: "cohere", path: "/v2/chat", fixture: "cut" }, ENDED],
  [
    { provider: "dashscope", path: GENERATION, fixture: "stream-error", headers: SSE },
    "dashscope reported an error inside the stream",
  ],
  [{ provider: "dashscope", path: GENERATION, fixture: "stream-cut", headers: SSE }, ENDED],
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

it.each(
  FAILED.map(
    ([family, reason]) => [`${family.folder ?? family.provider} ${family.fixture}`, family, reason] as const,
  ),
)("%s is passed on and not recorded, with the reason", async (_name, family, reason) => {
  const { reply } = fixtureOf(family);
  const tested = engineWith(() => incoming(reply, 33));

  const answer = await ask(tested, family, "record");

  expect(answer).toEqual({ outcome: "forwarded", body: Buffer.from(reply.body) });
  expect(tested.events[0]?.reason).toBe(`${reason}; it was forwarded and not recorded.`);
  expect(await tested.store.list()).toEqual([]);
});

describe("the whole answer or none", () => {
  it.each<readonly [string, readonly (readonly [number, string | null])[], boolean]>([
    [
      "one choice that finished",
      [
        [0, null],
        [0, "stop"],
      ],
      true,
    ],
    [
      "two choices that finished",
      [
        [0, "stop"],
        [1, null],
        [1, "length"],
      ],
      true,
    ],
    [
      "two choices, only one finished",
      [
        [0, "stop"],
        [1, null],
      ],
      false,
    ],
    ["a choice that did not finish", [[0, null]], false],
    ["no choice", [], false],
  ])("a chat stream without [DONE] and with %s: recorded only if whole", async (_, chunks, isWhole) => {
    const text = chunks
      .map(([index, finish_reason]) => ({ choices: [{ index, delta: { content: "a" }, finish_reason }] }))
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

describe("a response in the background", () => {
  it("is recorded and replayed as it was created and polled", async () => {
    const states = ["queued", "in_progress", "in_progress", "completed"];
    const state = () =>
      jsonReply(
        JSON.stringify({
          id: "resp_7",
          object: "response",
          background: true,
          status: states.shift(),
          output: [],
        }),
      );
    const { engine, events, sent } = anEngine(() => incoming(state(), 7));
    const wait = async (mode: "record" | "strict"): Promise<readonly string[]> => {
      const run = aRun(mode);
      const seen = [
        await askFor({ method: "POST", path: "/v1/responses", body: '{"background":true,"input":"Hi"}' }),
      ];
      while (seen.at(-1)?.status !== "completed")
        seen.push(await askFor({ method: "GET", path: `/v1/responses/${seen[0]?.id}`, body: "" }));
      return seen.map(({ status }) => status);

      async function askFor(asked: { method: string; path: string; body: string }) {
        const headers = [["content-type", "application/json"]] as const;
        const { signal } = new AbortController();
        const call = { ...asked, provider: "openai", headers, body: Buffer.from(asked.body), signal, run };
        return JSON.parse(await textOf(await engine.answer(call))) as {
          id: string;
          status: string;
        };
      }
    };

    const recorded = await wait("record");
    const replayed = await wait("strict");

    expect(recorded).toEqual(["queued", "in_progress", "in_progress", "completed"]);
    expect(replayed).toEqual(recorded);
    expect(sent).toHaveLength(4);
    expect(events.map(({ operation, outcome }) => `${operation} ${outcome}`)).toEqual([
      "responses recorded",
      "responses.retrieve recorded",
      "responses.retrieve recorded",
      "responses.retrieve recorded",
      "responses replayed",
      "responses.retrieve replayed",
      "responses.retrieve replayed",
      "responses.retrieve replayed",
    ]);
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
  const at = (key: string): Family => ({
    provider: "gemini",
    path: `${MODEL}:generateContent?key=${key}&alt=json`,
    fixture: "generate",
  });

  await ask(tested, at("AIza-first-secret"), "record");
  const replayed = await ask(tested, at("AIza-another-secret"), "strict");

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
