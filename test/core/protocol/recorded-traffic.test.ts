import { describe, expect, it } from "vitest";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import type { ConversationPart, Protocol } from "../../../src/core/protocol/base/protocol.ts";
import { framingOf } from "../../../src/core/base/wire/framing.ts";
import { cutFrames } from "../../../src/core/base/wire/sse.ts";
import { joinBytes, textOf } from "../../../src/core/base/wire/text.ts";
import { endOf, wronglyHeld } from "../../contract/protocol-contract.ts";
import { anthropicBetaSdk } from "../../support/anthropic-sdk.ts";
import { openaiSdk } from "../../support/openai-sdk.ts";
import { openaiResponsesSdk } from "../../support/openai-responses-sdk.ts";
import { isMainTraffic, loadRecordedTraffic, type RecordedExchange } from "../../support/recorded-traffic.ts";
import { readingOf, replyingFetch } from "../../support/sdk-reading.ts";
import { aRequest } from "../../support/traffic-fixture.ts";

/** Operations in which somebody says something. */
const SPOKEN = new Set(["chat.completions", "messages", "responses", "responses.retrieve", "completions"]);
/** Also the providers that speak like the two: what they add must be read, too. */
const { exchanges: known } = loadRecordedTraffic(({ operation }) => operation !== "http");
/** An endpoint that echoes chat requests to test a client on replies of another form. */
const ECHOES = "test_invalid_response";
const exchanges = known.filter(({ operation, source }) => SPOKEN.has(operation) && !source.includes(ECHOES));
/** Those of other families are read in `other-families-traffic.test.ts`. */
const FAMILIES = new Set(["gemini", "vertex", "bedrock", "cohere"]);
const others = known.filter(({ operation, provider }) => !SPOKEN.has(operation) && !FAMILIES.has(provider));
const providers = createProviders();
const sdks = new Map([
  ["chat.completions", openaiSdk],
  ["messages", anthropicBetaSdk],
  ["responses", openaiResponsesSdk],
]);

const isStream = ({ reply }: RecordedExchange): boolean => reply.contentType.includes("event-stream");
const isFailure = ({ reply }: RecordedExchange): boolean => reply.status >= 400;

function protocolOf({ provider, operation, request }: RecordedExchange): Protocol {
  const found = providers.protocolFor({ provider, operation, method: request.method, path: request.path });
  if (found === undefined) throw new Error(`no provider ${provider}`);
  return found.protocol;
}

/** Files that hold the streams of several requests one after another, which no client can read as one. */
function isJoined({ reply }: RecordedExchange): boolean {
  return textOf(reply.body).split("event: message_start").length > 2;
}

function isForSdk(exchange: RecordedExchange): boolean {
  const isResponse = exchange.provider === "openai" && exchange.operation === "responses";
  return (
    (isMainTraffic(exchange) || isResponse) &&
    !isFailure(exchange) &&
    !isJoined(exchange) &&
    !exchange.source.includes(BROKEN_EVENTS)
  );
}

/** A file with two events that are no JSON, at which an SDK fails. */
const BROKEN_EVENTS = "parallel-tool-call-wrapper";

/** With the source as the test's name, so that a failure says where it is. */
function named(chosen: readonly RecordedExchange[]): (readonly [string, RecordedExchange])[] {
  return chosen.map((exchange) => [exchange.source, exchange]);
}

describe("recorded traffic of chat providers", () => {
  it("is all there", () => {
    const providersOf = new Set(known.map(({ provider }) => provider));
    const operations = new Set(known.map(({ provider, operation }) => `${provider} ${operation}`));
    console.log(
      `▸ recorded traffic read: ${known.length} replies (${known.filter(isStream).length} streams) of ${operations.size} operations of ${providersOf.size} providers`,
    );

    expect(exchanges.filter(isMainTraffic).length).toBeGreaterThanOrEqual(151);
    expect(exchanges.filter(({ operation }) => operation === "responses").length).toBeGreaterThan(100);
  });

  it.each(named(exchanges.filter(isStream)))(
    "%s is cut into frames that join to it, and is whole",
    (_source, exchange) => {
      const protocol = protocolOf(exchange);
      const frames = cutFrames(exchange.reply.body);

      expect(joinBytes(frames)).toEqual(exchange.reply.body);
      expect(endOf(protocol, exchange.reply.body)).toBe("whole");
    },
  );

  it.each(named(exchanges.filter(isStream)))(
    "%s: its terminal event is held back, the others are let go",
    (_source, exchange) => {
      const { stream } = protocolOf(exchange);
      // Frames that begin alike are tried once.
      const frames = cutFrames(exchange.reply.body).map((frame) => textOf(frame).slice(0, 60));

      expect(stream && wronglyHeld(stream, [...new Set(frames)])).toEqual([]);
    },
  );

  it.each(named(exchanges))("%s: its request is understood", (_source, exchange) => {
    const protocol = protocolOf(exchange);
    const request = aRequest({ provider: exchange.provider, ...exchange.request });

    const facts = protocol.facts(request);
    const { messages, settings } = protocol.conversation(request);

    expect(facts.model !== undefined).toBe(exchange.request.body.byteLength > 0);
    expect(facts.label).toMatch(/\S/);
    expect(messages.length > 0).toBe(exchange.request.body.byteLength > 0);
    expect(settings.map(([, value]) => value)).not.toContain("");
    expect(messages.flatMap(({ parts }) => parts.filter(isUnread))).toEqual([]);
  });

  it.each(named(exchanges.filter((exchange) => !isFailure(exchange))))(
    "%s: its reply is understood",
    (_source, exchange) => {
      const protocol = protocolOf(exchange);

      const { messages, finishReason, model, usage, events } = protocol.project(exchange.reply);

      const isWaiting = finishReason === "queued" || exchange.source.includes(BROKEN_EVENTS);
      expect(isWaiting || messages.length > 0).toBe(true);
      expect(messages.flatMap(({ parts }) => parts.filter(isUnread))).toEqual([]);
      expect(messages.map(({ role }) => role)).not.toContain("error");
      expect(isWaiting || /^\w+$/.test(finishReason ?? "")).toBe(true);
      expect(isWaiting || model !== undefined).toBe(true);
      expect(isWaiting || isStream(exchange) || usage?.outputTokens !== undefined).toBe(true);
      expect(events === undefined).toBe(!isStream(exchange));
      expect(isStream(exchange) || protocol.isWhole(exchange.reply.body)).toBe(true);
    },
  );

  it.each(named(exchanges.filter(isFailure)))(
    "%s: its error is read and never taken for whole",
    (_source, exchange) => {
      const protocol = protocolOf(exchange);

      const { messages } = protocol.project(exchange.reply);

      expect(messages.map(({ role }) => role)).toEqual(["error"]);
      expect(protocol.isWhole(exchange.reply.body)).toBe(false);
    },
  );

  it.each(named(exchanges.filter(isForSdk)))(
    "%s is read by the official SDK as by us",
    async (_source, exchange) => {
      const { status, contentType, body } = exchange.reply;
      const { fetch } = replyingFetch({ status, headers: [["content-type", contentType]], body });
      const sdk = sdks.get(exchange.operation) ?? openaiSdk;
      const request = JSON.parse(textOf(exchange.request.body)) as object;
      // The SDK warns of models that are out of date; the model that counts is the reply's.
      const asked = { ...request, model: "recorded", stream: isStream(exchange) };

      const reading = await sdk.read(fetch, asked);

      expect(readingOf(protocolOf(exchange).project(exchange.reply))).toEqual(reading);
    },
  );

  it.each(named(others.filter((exchange) => !isFailure(exchange))))(
    "%s: request and reply are understood, and the reply is known to be whole",
    (_source, exchange) => {
      const protocol = protocolOf(exchange);
      const request = aRequest({ provider: exchange.provider, ...exchange.request });

      const { label } = protocol.facts(request);
      const { messages, settings } = protocol.conversation(request);
      const reply = protocol.project(exchange.reply);

      expect(label).toMatch(/\S/);
      expect(settings.map(([, value]) => value)).not.toContain("");
      expect([...messages, ...reply.messages].flatMap(({ parts }) => parts.filter(isUnread))).toEqual([]);
      expect(reply.messages.map(({ role }) => role)).not.toContain("error");
      expect(reply.messages.flatMap(({ parts }) => parts).length).toBeGreaterThan(0);
      expect(isComplete(protocol, exchange.reply)).toBe(true);
    },
  );
});

/** A stream by its last event, everything else by itself. */
function isComplete(protocol: Protocol, { body, contentType }: RecordedExchange["reply"]): boolean {
  return protocol.stream === undefined || framingOf(contentType) === undefined
    ? protocol.isWhole(body)
    : endOf(protocol, body, contentType) === "whole";
}

/** Parts that have no other neutral form; anything else that is "other" was not understood. */
const OTHERS =
  /^(?:redacted thinking|encrypted thinking|refusal|document|compaction|fallback|tools|tools of .+|asks to call .+|approved|declined|image generation|earlier item|cites|document .+|executed .+)$/;

function isUnread(part: ConversationPart): boolean {
  return part.type === "other" && !OTHERS.test(part.description);
}
