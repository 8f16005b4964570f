import { describe, expect, it } from "vitest";
import type { ConversationPart, Protocol } from "../../../src/core/protocol/base/protocol.ts";
import { computeCharge } from "../../../src/core/answer/budget/charge.ts";
import type { Call } from "../../../src/core/call/call.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import { decodeText } from "../../../src/core/base/wire/text.ts";
import { casesOf } from "../../support/cases.ts";
import { sample } from "../../support/corpus/corpus.ts";
import { anthropicBetaSdk } from "../../support/anthropic-sdk.ts";
import { geminiSdk } from "../../support/gemini-sdk.ts";
import { openaiSdk } from "../../support/openai-sdk.ts";
import { openaiResponsesSdk } from "../../support/openai-responses-sdk.ts";
import { isMainTraffic, loadRecordedTraffic, type RecordedExchange } from "../../support/recorded-traffic.ts";
import { readingOf, replyingFetch } from "../../support/sdk-reading.ts";
import { aRequest } from "../../support/traffic-fixture.ts";
import { endOf, framingIn } from "../../support/wire-fixtures.ts";

/** A file with two events that are no JSON, at which an SDK fails. */
const BROKEN_EVENTS = "parallel-tool-call-wrapper";
const providers = createProviders();
const { exchanges: all } = loadRecordedTraffic(({ operation }) => operation !== "http");
const exchanges = casesOf<(all: readonly RecordedExchange[]) => readonly RecordedExchange[]>({
  quick: sample,
  long: (whole) => whole,
})(all);
const failed = exchanges.filter(({ reply }) => reply.status >= 400);
const good = exchanges.filter(({ reply }) => reply.status < 400);
const streams = good.filter((one) => framingOf(one) !== undefined);
const sdks = new Map([
  ["chat.completions", openaiSdk],
  ["messages", anthropicBetaSdk],
  ["responses", openaiResponsesSdk],
  ["generateContent", geminiSdk(false)],
  ["streamGenerateContent", geminiSdk(true)],
]);

function protocolOf({ provider, operation, request }: RecordedExchange): Protocol {
  const found = providers.protocolFor({ provider, operation, method: request.method, path: request.path });
  if (found === undefined) throw new Error(`no provider ${provider}`);
  return found.protocol;
}

function framingOf(exchange: RecordedExchange) {
  return framingIn(protocolOf(exchange), exchange.reply.contentType);
}

/** Checks one exchange after another. An error names the source. */
async function checkEach(
  chosen: readonly RecordedExchange[],
  check: (exchange: RecordedExchange) => void | Promise<void>,
): Promise<void> {
  for (const exchange of chosen)
    try {
      await check(exchange);
    } catch (error) {
      throw new Error(`${exchange.source}: ${String(error)}`, { cause: error });
    }
}

/** Operations whose replies say something and end for a reason. */
const SPOKEN =
  /^(?:generateContent|streamGenerateContent|converse|converse-stream|chat|chat\.completions|messages|responses|responses\.retrieve|completions)$/;
/** Operations whose replies are numbers, which are counted. */
const COUNTED = /^(?:embed.*|batchEmbedContents|.*count.?tokens|tokenize)$/i;

describe("recorded traffic", () => {
  it("is all there", () => {
    const of = new Set(all.map(({ provider, operation }) => `${provider} ${operation}`));
    console.log(
      `▸ recorded traffic read: ${exchanges.length} replies (${streams.length} streams); there are ${all.length} of ${of.size} operations`,
    );

    expect(all.filter(isMainTraffic).length).toBeGreaterThanOrEqual(151);
    expect(all.filter(({ operation }) => operation === "responses").length).toBeGreaterThan(100);
    expect(streams.length).toBeGreaterThan(50);
  });

  it("each request is understood", () =>
    checkEach(exchanges, (exchange) => {
      const protocol = protocolOf(exchange);
      // An upload has any content type, or none.
      const { contentType = "" } = exchange.request;
      const request = aRequest({ ...exchange, ...exchange.request, contentType });

      const { model, label } = protocol.facts(request);
      const { messages, settings } = protocol.conversation(request);

      expect(label).toMatch(/\S/);
      expect(settings.map(([, value]) => value)).not.toContain("");
      expect(messages.flatMap(({ parts }) => parts.filter(isUnread))).toEqual([]);
      const isSpoken = SPOKEN.test(exchange.operation) && exchange.request.method === "POST";
      expect(!isSpoken || (messages.length > 0 && model !== undefined)).toBe(true);
    }));

  it("each reply is understood, and known to be whole", () =>
    checkEach(good, (exchange) => {
      const protocol = protocolOf(exchange);
      const { body, contentType } = exchange.reply;

      const { messages, finishReason, usage, events } = protocol.project(exchange.reply);

      const isStream = streams.includes(exchange);
      const isWaiting = finishReason === "queued" || exchange.source.includes(BROKEN_EVENTS);
      const parts = messages.flatMap((message) => message.parts);
      expect(isWaiting || messages.length > 0).toBe(true);
      expect(parts.filter(isUnread)).toEqual([]);
      expect(messages.map(({ role }) => role)).not.toContain("error");
      const isSpoken = SPOKEN.test(exchange.operation) && !isWaiting;
      expect(!isSpoken || /^\w+$/.test(finishReason ?? "")).toBe(true);
      expect(!isSpoken || isStream || usage?.outputTokens !== undefined).toBe(true);
      expect(!isSpoken || (events !== undefined) === isStream).toBe(true);
      const [first = ""] = parts.map((part) => ("text" in part ? part.text : ""));
      expect(!COUNTED.test(exchange.operation) || /^[\d,]+ (?:embedding|token)/.test(first)).toBe(true);
      expect(endOf(protocol, body, contentType)).toBe("whole");
    }));

  it("each stream is charged by the usage of its whole reply", () =>
    checkEach(streams, (exchange) => {
      const protocol = protocolOf(exchange);
      const { usage } = protocol.project(exchange.reply);
      const request = { ...aRequest({ provider: exchange.provider, ...exchange.request }), headers: [] };
      const call = { ...request, ...exchange.request } as unknown as Call;
      const facts = { model: "gpt-4.1", streaming: true, label: "" };
      const provider = providers.get(exchange.provider)!;
      const received = { ...exchange.reply, sizeBytes: exchange.reply.body.byteLength };

      const { estimatedCalls, inputTokens, outputTokens } = computeCharge(
        { call, provider, protocol, facts },
        received,
        {},
      );

      expect(usage === undefined || [usage.inputTokens ?? 0, usage.outputTokens ?? 0, 0]).toEqual(
        usage === undefined || [inputTokens, outputTokens, estimatedCalls],
      );
    }));

  it("each error is read and never taken for whole", () =>
    checkEach(failed, (exchange) => {
      const protocol = protocolOf(exchange);

      const { messages } = protocol.project(exchange.reply);

      expect(messages.map(({ role }) => role)).toEqual(["error"]);
      expect(SPOKEN.test(exchange.operation) && protocol.isWhole(exchange.reply.body)).toBe(false);
    }));

  it("each reply is read by the official SDK as by us", () =>
    checkEach(good.filter(isForSdk), async (exchange) => {
      const { status, contentType, body } = exchange.reply;
      const { fetch } = replyingFetch({ status, headers: [["content-type", contentType]], body });
      const sdk = sdks.get(exchange.operation) ?? openaiSdk;
      const request = JSON.parse(decodeText(exchange.request.body)) as object;
      // The SDK warns of models that are out of date; the model that counts is the reply's.
      const asked = { ...request, model: "recorded", stream: streams.includes(exchange) };

      const reading = await sdk.read(fetch, asked);

      expect(readingOf(protocolOf(exchange).project(exchange.reply))).toEqual(reading);
    }));
});

function isForSdk(exchange: RecordedExchange): boolean {
  const body = decodeText(exchange.reply.body);
  const isResponse = exchange.provider === "openai" && exchange.operation === "responses";
  // Some files hold the streams of several requests one after another, which no client can read as one.
  const isJoined = body.split("event: message_start").length > 2;
  // Gemini's SDK joins no call whose arguments come in pieces.
  const isGemini =
    exchange.provider === "gemini" &&
    sdks.has(exchange.operation) &&
    framingOf(exchange) !== "array" &&
    !/"partialArgs"|"willContinue"/.test(body);
  return (
    (isMainTraffic(exchange) || isResponse || isGemini) &&
    !isJoined &&
    !exchange.source.includes(BROKEN_EVENTS)
  );
}

/** Parts that have no other neutral form; anything else that is "other" was not understood. */
const OTHERS =
  /^(?:redacted thinking|encrypted thinking|refusal|document|compaction|fallback|tools|tools of .+|asks to call .+|approved|declined|image generation|earlier item|cites|citations|blocked prompt|document .+|executed .+|errored|expired|tool_reference|function\.result)$/;

function isUnread(part: ConversationPart): boolean {
  return part.type === "other" && !OTHERS.test(part.description);
}
