import { describe, expect, it } from "vitest";
import type { ConversationPart, Protocol } from "../../../src/core/protocol/base/protocol.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import { cutBody, framingOf, pieceText, type Framing } from "../../../src/core/base/wire/framing.ts";
import { endOf, wronglyHeld } from "../../contract/protocol-contract.ts";
import { loadRecordedTraffic, type RecordedExchange } from "../../support/recorded-traffic.ts";
import { aRequest } from "../../support/traffic-fixture.ts";

const FAMILIES = new Set(["gemini", "vertex", "bedrock", "cohere"]);
const { exchanges } = loadRecordedTraffic(
  ({ provider, operation }) => FAMILIES.has(provider) && operation !== "http",
);
const good = exchanges.filter(({ reply }) => reply.status < 400);
const providers = createProviders();
const streams = good.filter((exchange) => framingIn(exchange) !== undefined);

function protocolOf({ provider, operation, request }: RecordedExchange): Protocol {
  const found = providers.protocolFor({ provider, operation, method: request.method, path: request.path });
  if (found === undefined) throw new Error(`no provider ${provider}`);
  return found.protocol;
}

/** Gemini streams a JSON array unless it is asked for events. */
function framingIn(exchange: RecordedExchange): Framing | undefined {
  return framingOf(exchange.reply.contentType) ?? protocolOf(exchange).stream?.inJson;
}

/** With the source as the test's name, so that a failure says where it is. */
function named(chosen: readonly RecordedExchange[]): (readonly [string, RecordedExchange])[] {
  return chosen.map((exchange) => [exchange.source, exchange]);
}

/** Operations whose replies say something and end for a reason. */
const SPOKEN =
  /^(?:generateContent|streamGenerateContent|converse|converse-stream|chat|chat\.v1|chat\.completions|responses|completions)$/;
/** Operations whose replies are numbers, which are counted. */
const COUNTED = /embed|count|^tokenize$/i;

describe("recorded traffic of Gemini, Vertex, Bedrock and Cohere", () => {
  it("is all there", () => {
    const operations = new Set(exchanges.map(({ provider, operation }) => `${provider} ${operation}`));
    console.log(
      `▸ recorded traffic of other families read: ${exchanges.length} replies of ${operations.size} operations`,
    );

    expect(exchanges.length).toBeGreaterThanOrEqual(130);
    expect(streams.length).toBeGreaterThanOrEqual(20);
  });

  it.each(named(exchanges))("%s: its request is understood", (_source, exchange) => {
    const protocol = protocolOf(exchange);
    const request = aRequest({ provider: exchange.provider, ...exchange.request });

    const { label, model } = protocol.facts(request);
    const { messages, settings } = protocol.conversation(request);

    expect(label).toMatch(/\S/);
    expect(model).toMatch(/\S/);
    expect(messages.length).toBeGreaterThan(0);
    expect(settings.map(([, value]) => value)).not.toContain("");
    expect(messages.flatMap(({ parts }) => parts.filter(isUnread))).toEqual([]);
  });

  it.each(named(good))("%s: its reply is understood, and known to be whole", (_source, exchange) => {
    const protocol = protocolOf(exchange);
    const isStream = streams.includes(exchange);

    const { messages, finishReason, usage, events } = protocol.project(exchange.reply);

    const parts = messages.flatMap((message) => message.parts);
    expect(messages.length).toBeGreaterThan(0);
    expect(parts.filter(isUnread)).toEqual([]);
    expect(messages.map(({ role }) => role)).not.toContain("error");
    // What a model is invoked for is its own affair.
    const isSpoken = SPOKEN.test(exchange.operation) || (isInvoked(exchange) && finishReason !== undefined);
    const said = isSpoken ? finishReason : parts.map((part) => ("text" in part ? part.text : ""))[0];
    const isCounted = COUNTED.test(exchange.operation) || isInvoked(exchange);
    expect(said).toMatch(isSpoken ? /^\w+$/ : isCounted ? /^\d+ (?:embedding|token)/ : /\S/);
    expect(isStream || !SPOKEN.test(exchange.operation) || usage?.outputTokens !== undefined).toBe(true);
    expect(events !== undefined).toBe(isStream);
    expect(isStream || protocol.isWhole(exchange.reply.body)).toBe(true);
  });

  it.each(named(streams))("%s is whole, and its end is held back", (_source, exchange) => {
    const protocol = protocolOf(exchange);
    const { body, contentType } = exchange.reply;
    const framing = framingIn(exchange) ?? "events";
    const pieces = cutBody(body, framing).map((piece) => pieceText(piece, framing).slice(0, 200));

    expect(endOf(protocol, body, contentType)).toBe("whole");
    expect(protocol.stream && wronglyHeld(protocol.stream, pieces)).toEqual([]);
  });

  it.each(named(exchanges.filter(({ reply }) => reply.status >= 400)))(
    "%s: its error is read",
    (_source, exchange) => {
      const { messages } = protocolOf(exchange).project(exchange.reply);

      expect(messages.map(({ role }) => role)).toEqual(["error"]);
    },
  );
});

function isInvoked({ operation }: RecordedExchange): boolean {
  return operation.startsWith("invoke");
}

/** Parts that have no other neutral form; anything else that is "other" was not understood. */
const OTHERS = /^(?:redacted thinking|citations|blocked prompt)$/;

function isUnread(part: ConversationPart): boolean {
  return part.type === "other" && !OTHERS.test(part.description);
}
