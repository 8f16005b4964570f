import { describe, expect, test } from "vitest";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import {
  type ChatResponse,
  responseFromWire,
  type WireProvider,
} from "../../../src/systems/agentscope/index.ts";
import { loadRecordedTraffic, type RecordedExchange } from "../../support/recorded-traffic.ts";

/** Content of a reply. */
interface ReplyFacts {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly (readonly [name: string, args: string])[];
  readonly input?: number | undefined;
  readonly output?: number | undefined;
}

const providers = createProviders();
/** Tools that providers or MCP servers run in the recorded traffic. AgentScope leaves their calls out. */
const RUN_BY_THE_PROVIDER =
  /^(?:web_search|web_fetch|file_search|tool_search\w*|\w*code_execution|code_interpreter|advisor|shell|local_shell|apply_patch|GOOGLE_SEARCH_WEB|FILE_SEARCH|ask_question|echo|create_short_url|web_search_exa)$/;

/**
 * What the conversation view has of the first choice, which `test/core/protocol` compares with the official SDKs.
 * Undefined for what is no answer, for a stream that was cut on purpose, and for files that hold several streams.
 */
function factsOf(
  { provider, operation, request, reply }: RecordedExchange,
  wire: WireProvider,
): ReplyFacts | undefined {
  const found = providers.protocolFor({ provider, operation, method: request.method, path: request.path });
  const { messages, usage, finishReason } = found!.protocol.project(reply);
  const isJoined =
    Buffer.from(reply.body)
      .toString()
      .split(/"(?:message_start|response\.created)"/).length > 2;
  if (finishReason === undefined || isJoined) return undefined;
  const parts = messages[0]?.parts ?? [];
  const texts = (type: string): string =>
    parts.map((part) => (part.type === type && "text" in part ? part.text : "")).join("");
  return {
    text: texts("text"),
    thinking: texts("thinking"),
    calls: parts.flatMap((part) =>
      part.type === "tool-call" && !RUN_BY_THE_PROVIDER.test(part.name)
        ? [[part.name, comparableArguments(part.arguments)] as const]
        : [],
    ),
    ...(countsAlike(wire, provider) && { input: usage?.inputTokens, output: usage?.outputTokens }),
  };
}

const traffic = loadRecordedTraffic(
  (exchange) => exchange.reply.status === 200 && wireOf(exchange) !== undefined,
);

describe("recorded replies", () => {
  for (const form of ["json", "stream"] as const) {
    test(`are read whole and right, as ${form}: texts, thoughts, calls, usage [AS-I5]`, async () => {
      const wrong: unknown[] = [];
      const read = new Map<string, number>();
      for (const exchange of traffic.exchanges.filter((one) => formOf(one) === form)) {
        const wire = wireOf(exchange)!;
        const facts = factsOf(exchange, wire);
        if (facts === undefined) continue;
        const seen = shown(
          await responseFromWire(wire, exchange.reply),
          countsAlike(wire, exchange.provider),
        );
        if (JSON.stringify(seen) !== JSON.stringify(facts))
          wrong.push({ source: exchange.source, facts, seen });
        read.set(wire, (read.get(wire) ?? 0) + 1);
      }

      const counts = [...read].map(([name, count]) => `${name} ${count}`).join(", ");
      console.log(`▸ models read recorded ${form} replies: ${counts}`);
      expect(wrong).toEqual([]);
      expect([...read.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(30);
    });
  }
});

function wireOf({ provider, operation, request }: RecordedExchange): WireProvider | undefined {
  const [path = ""] = request.path.split("?");
  // A provider that only the user knows is plain HTTP.
  if (request.method !== "POST" || operation === "http") return undefined;
  if (path.endsWith("/chat/completions")) return "openai";
  if (provider === "anthropic" && path.endsWith("/messages")) return "anthropic";
  return provider === "gemini" && /models\/[^/]*$/.test(path) && !/embed|count/i.test(path)
    ? "gemini"
    : undefined;
}

function formOf({ reply }: RecordedExchange): "json" | "stream" {
  return reply.contentType.includes("event-stream") ? "stream" : "json";
}

function shown({ content, usage }: ChatResponse, hasCounts: boolean): ReplyFacts {
  const texts = (name: "text" | "thinking"): string =>
    content
      .map((block) => (block.type === name && name in block ? String(Reflect.get(block, name)) : ""))
      .join("");
  return {
    text: texts("text"),
    thinking: texts("thinking"),
    calls: content.flatMap((block) =>
      block.type === "tool_use" && !RUN_BY_THE_PROVIDER.test(block.name)
        ? [[block.name, JSON.stringify(block.input)] as const]
        : [],
    ),
    ...(hasCounts && { input: usage?.input_tokens, output: usage?.output_tokens }),
  };
}

/**
 * AgentScope counts the tokens of other wires in its own way, which read-wire.txt has. For xAI it leaves out the tokens
 * of the reasoning, which xAI reports beside the others.
 */
const countsAlike = (wire: WireProvider, provider: string): boolean =>
  wire === "openai" && provider !== "xai";

function comparableArguments(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
