import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import {
  createBadRequest,
  createBodyTooLarge,
  createRefusal,
  createTapedeckError,
  type TapedeckError,
} from "../../../src/core/base/errors.ts";
import { listTexts } from "../../../src/core/protocol/base/operation.ts";
import { anthropicSdk } from "../../support/anthropic-sdk.ts";
import { geminiClient, geminiSdk } from "../../support/gemini-sdk.ts";
import { ollamaChatSdk, ollamaGenerateSdk } from "../../support/ollama-sdk.ts";
import { openaiResponsesSdk } from "../../support/openai-responses-sdk.ts";
import { openaiSdk } from "../../support/openai-sdk.ts";
import { readingOf, replyingFetch, type Sdk } from "../../support/sdk-reading.ts";
import { aRequest } from "../../support/traffic-fixture.ts";
import { endOf, FIXTURES, operationAt, type WireFixture } from "../../support/wire-fixtures.ts";

const messages = [{ role: "user" as const, content: "Hi" }];
const CONTENTS = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };
const GEMINI = "/v1beta/models/gemini-2.5-flash:";

type Spoken = readonly [provider: string, path: string, model: string, sdk: Sdk, body: object];

/** Operations with a conversation, with the model that a reply names, and a request. */
const SPOKEN: readonly Spoken[] = [
  ["openai", "/v1/chat/completions", "gpt-4o-mini", openaiSdk, { messages }],
  ["openai", "/v1/responses", "gpt-5-mini", openaiResponsesSdk, { input: "Hi" }],
  ["anthropic", "/v1/messages?beta=true", "claude", anthropicSdk, { max_tokens: 64, messages }],
  ["gemini", `${GEMINI}generateContent`, "gemini-2.5-flash", geminiSdk(false), CONTENTS],
  ["gemini", `${GEMINI}streamGenerateContent?alt=sse`, "gemini-2.5-flash", geminiSdk(true), CONTENTS],
  ["ollama", "/api/chat", "llama3.2", ollamaChatSdk, { messages }],
  ["ollama", "/api/generate", "llama3.2", ollamaGenerateSdk, { prompt: "Hi" }],
];

const wireOf = ({ contentType, ...reply }: WireFixture["reply"]): Parameters<typeof replyingFetch>[0] => ({
  ...reply,
  headers: [["content-type", contentType]],
});

describe.each(SPOKEN)("%s %s", (...[provider, path, model, sdk, content]) => {
  const { protocol } = operationAt(provider, "POST", path);
  const isGemini = provider === "gemini";
  const body = isGemini ? content : { model, ...content };
  // To a blocked prompt nothing was answered, so the SDK gives no message.
  const ended = FIXTURES.filter((one) => one.provider.name === provider && one.path === path)
    .filter(({ name }) => name !== "blocked")
    .map((one) => [one.name, one, endOf(protocol, one.reply.body, one.reply.contentType)] as const);

  test.each(ended.filter(([, , end]) => end === "whole"))("%s is read as by us", async (_, one) => {
    const { fetch } = replyingFetch(wireOf(one.reply));

    expect(readingOf(protocol.project(one.reply))).toEqual(await sdk.read(fetch, one.asked));
  });

  test.each(ended.filter(([, , end]) => end === "failed"))(
    "%s fails with what we read of it",
    async (_, one) => {
      const thrown = await failureOf(sdk.read(replyingFetch(wireOf(one.reply)).fetch, one.asked));

      const [told] = listTexts(protocol.project(one.reply).messages.at(-1)?.parts ?? []);
      expect(String(thrown)).toContain(told?.split(": ").at(-1));
    },
  );

  const drafts = ["Hi!", "One line\nand another,\r\nwith “quotes” and 👋.\n", ""].flatMap((text) =>
    (isGemini ? [undefined] : [false, true]).map((stream) => ({ text, stream })),
  );

  test.each(drafts)(
    "a reply from the draft $text, stream $stream, is read as by us",
    async ({ text, stream }) => {
      const asked = stream === undefined ? body : { ...body, stream };
      const usage = { inputTokens: 12, outputTokens: 3 };

      const reply = { status: 200, ...protocol.compose({ text, usage }, aRequest({ path, body: asked })) };
      const reading = await sdk.read(replyingFetch(wireOf(reply)).fetch, asked);

      expect(reading.messages.map((message) => message.text)).toEqual([text]);
      expect(readingOf(protocol.project(reply))).toEqual(reading);
      expect(protocol.project(reply).usage ?? usage).toMatchObject(usage);
      expect(reading.finishReason).toMatch(/^(?:stop|end_turn|completed)$/i);
      expect(reading.model).toBe(model);
      expect(endOf(protocol, reply.body, reply.contentType)).toBe("whole");
    },
  );
});

/** A call by an official SDK, and what its errors are called. */
type SdkCall = Omit<Sdk, "read"> & { call(fetch: typeof globalThis.fetch): Promise<unknown> };

const openaiCall = (ask: (client: OpenAI) => Promise<unknown>): SdkCall => ({
  ...openaiSdk,
  call: (fetch) => ask(new OpenAI({ apiKey: "none", baseURL: "http://127.0.0.1:9/v1", fetch })),
});

const wav = new File(["bytes"], "hello.wav", { type: "audio/wav" });

/** Operations without a conversation whose replies an SDK decodes, by the path of their fixture. */
const OTHERS: Readonly<Record<string, SdkCall>> = {
  "/v1/embeddings": openaiCall((sdk) => sdk.embeddings.create({ model: "m", input: ["Hello", "you"] })),
  "/v1/audio/transcriptions": openaiCall((sdk) => sdk.audio.transcriptions.create({ model: "m", file: wav })),
  "/v1/models": openaiCall((sdk) => sdk.models.list()),
  [`${GEMINI}batchEmbedContents`]: {
    ...geminiSdk(false),
    call: (fetch) => geminiClient(fetch).models.embedContent({ model: "m", contents: ["a", "b", "c"] }),
  },
};

test.each(Object.entries(OTHERS))("a reply to %s from a draft is taken", async (path, sdk) => {
  const { protocol, request } = FIXTURES.find((one) => one.path === path)!;
  const composed = protocol.compose({ text: "A draft." }, request);

  await expect(sdk.call(replyingFetch(wireOf({ status: 200, ...composed })).fetch)).resolves.toBeDefined();
});

const FAILURES: readonly TapedeckError[] = [
  createTapedeckError("tapedeck_miss", "No recording for this call.", { hint: "Record it." }),
  createBadRequest("the body is empty.", "Send one."),
  createBodyTooLarge(64 * 1_048_576),
  createRefusal("wrong token.", "Take the address from the ready line."),
  createTapedeckError("tapedeck_upstream", "Tapedeck could not reach the provider.", { hint: "Try again." }),
];
const spoken = SPOKEN.map(([, path, model, sdk, body]): readonly [string, SdkCall] => [
  path,
  { ...sdk, call: (fetch) => sdk.read(fetch, { model, ...body }) },
]);

describe.each([...spoken, ...Object.entries(OTHERS)])("failures of ours at %s", (path, sdk) => {
  test.each(FAILURES)("$code is one request and one typed error, and no reply", async (error) => {
    const { protocol, provider } = FIXTURES.find((one) => one.path === path)!;
    const { status, headers, body } = provider.dialect.refuse(error);
    const bytes = body as Uint8Array;

    // The engine adds this header to every refusal.
    const wire = { status, headers: [...headers, ["x-should-retry", "false"] as const], body: bytes };
    const { fetch, count } = replyingFetch(wire);
    const thrown = await failureOf(sdk.call(fetch));

    const text = `${error.message} ${error.hint}`;
    expect([count(), sdk.statusOf(thrown)]).toEqual([1, error.status]);
    expect(sdk.codeOf === undefined ? error.code : sdk.codeOf(thrown)).toBe(error.code);
    expect(String(thrown)).toContain(text);
    expect(headers).toEqual([["content-type", "application/json"]]);
    expect(protocol.project({ status, body: bytes }).messages).toEqual([
      { role: "error", parts: [{ type: "text", text: `${error.code}: ${text}` }] },
    ]);
    expect(protocol.isWhole(bytes)).toBe(false);
  });
});

test("results of a batch that are drafted are read line by line", async () => {
  const { protocol, request } = FIXTURES.find(({ name }) => name === "results")!;
  const { body, contentType } = protocol.compose({ text: "By hand" }, request);
  const results_url = `http://127.0.0.1:9${request.path}`;
  const client = new Anthropic({
    apiKey: "none",
    baseURL: "http://127.0.0.1:9",
    fetch: async (input) =>
      String(input).endsWith("/results")
        ? new Response(Buffer.from(body), { headers: { "content-type": contentType } })
        : Response.json({ id: "msgbatch_1", results_url, processing_status: "ended" }),
  });

  const lines: unknown[] = [];
  for await (const line of await client.messages.batches.results("msgbatch_1")) lines.push(line);

  expect(lines).toMatchObject([
    { custom_id: "tapedeck", result: { message: { content: [{ type: "text", text: "By hand" }] } } },
  ]);
});

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    return { succeeded: await promise };
  } catch (error) {
    return error;
  }
}
