import { describe, expect, test } from "vitest";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import { collect } from "../../../src/client/merge-pieces.ts";
import { isChatError } from "../../../src/client/errors.ts";
import { user } from "../../../src/client/make-message.ts";
import { textOf, toolCallsOf } from "../../../src/client/message.ts";
import { type ChatReply, inputTokens } from "../../../src/client/reply.ts";
import { loadRecordedTraffic, type RecordedExchange } from "../../support/recorded-traffic.ts";
import { CLIENTS, fetchGiving, type ClientName } from "./clients.ts";

/** Content of a reply. */
interface ReplyFacts {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly (readonly [name: string, args: string])[];
  readonly input: number | undefined;
  readonly output: number | undefined;
}

const providers = createProviders();
/** Tools that providers or MCP servers run in the recorded traffic. Adapters leave their calls out. */
const RUN_BY_THE_PROVIDER =
  /^(?:web_search|web_fetch|file_search|tool_search\w*|\w*code_execution|code_interpreter|advisor|shell|local_shell|apply_patch|GOOGLE_SEARCH_WEB|FILE_SEARCH|ask_question|echo|create_short_url|web_search_exa)$/;

/**
 * What the conversation view has of the first choice, which `test/core/protocol` compares with the official SDKs.
 * Undefined for what is no answer, for a stream that was cut on purpose, and for files that hold several streams.
 */
function factsOf({ provider, operation, request, reply }: RecordedExchange): ReplyFacts | undefined {
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
  const refusal = parts.map((part) =>
    part.type === "other" && part.description === "refusal" ? part.text : "",
  );
  return {
    text: texts("text") + refusal.join(""),
    thinking: texts("thinking"),
    calls: parts.flatMap((part) =>
      part.type === "tool-call" && !RUN_BY_THE_PROVIDER.test(part.name)
        ? [[part.name, comparableArguments(part.arguments)] as const]
        : [],
    ),
    input: usage?.inputTokens,
    output: usage?.outputTokens,
  };
}

const traffic = loadRecordedTraffic((exchange) => adapterFor(exchange) !== undefined);

describe("recorded replies", () => {
  for (const form of ["json", "stream"] as const) {
    test(`are read whole and right by the adapters, as ${form}: texts, thoughts, calls, usage [AS-I5]`, async () => {
      const chosen = traffic.exchanges.filter((one) => formOf(one) === form && one.reply.status === 200);
      const wrong: unknown[] = [];
      const read = new Map<string, number>();
      for (const exchange of chosen) {
        const name = adapterFor(exchange)!;
        const facts = factsOf(exchange);
        if (facts === undefined) continue;
        const seen = await replyTo(name, exchange, form).then(shown, failure);
        if (JSON.stringify(seen) !== JSON.stringify(facts))
          wrong.push({ source: exchange.source, facts, seen });
        read.set(name, (read.get(name) ?? 0) + 1);
      }

      const counts = [...read].map(([name, count]) => `${name} ${count}`).join(", ");
      console.log(`▸ adapters read recorded ${form} replies: ${counts}`);
      expect(wrong).toEqual([]);
      expect([...read.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(40);
    });
  }

  test("exist for every adapter except Ollama's and DashScope's, which answers.jsonl and upstream-reply.ts cover", () => {
    const recorded = new Set(traffic.exchanges.map(adapterFor));

    const standIns = Object.keys(CLIENTS).filter((name) => !recorded.has(name as ClientName));

    console.log(`▸ no recorded traffic, written replies stand in: ${standIns.join(", ")}`);
    expect(standIns).toEqual(["ollama", "dashscope"]);
  });

  test("that are errors become typed errors with their status", async () => {
    const errors = traffic.exchanges.filter(({ reply }) => reply.status >= 400);

    const seen = await Promise.all(
      errors.map((one) => replyTo(adapterFor(one)!, one, "json").catch((error: unknown) => error)),
    );

    expect(errors.length).toBeGreaterThan(3);
    expect(seen.map((error) => isChatError(error) && error.status)).toEqual(
      errors.map(({ reply }) => reply.status),
    );
  });
});

function adapterFor({ provider, operation, request }: RecordedExchange): ClientName | undefined {
  const [path = ""] = request.path.split("?");
  // A provider that only the user knows is plain HTTP.
  if (request.method !== "POST" || operation === "http") return undefined;
  if (path.endsWith("/chat/completions")) {
    if (provider === "openai") return "openai chat";
    if (provider === "azure") return "azure chat";
    return provider === "dashscope" ? "dashscope compatible" : "openai compatible";
  }
  if (path.endsWith("/responses")) return provider === "azure" ? "azure responses" : "openai responses";
  if (provider === "anthropic" && path.endsWith("/messages")) return "anthropic";
  return provider === "gemini" && /models\/[^/]*$/.test(path) && !/embed|count/i.test(path)
    ? "gemini"
    : undefined;
}

function formOf({ reply }: RecordedExchange): "json" | "stream" {
  return reply.contentType.includes("event-stream") ? "stream" : "json";
}

function replyTo(name: ClientName, { reply }: RecordedExchange, form: "json" | "stream"): Promise<ChatReply> {
  const client = CLIENTS[name](fetchGiving(reply));
  const request = { messages: [user("Hi")] };
  return form === "json" ? client.complete(request) : collect(client.stream(request));
}

function shown({ message, usage }: ChatReply): ReplyFacts {
  return {
    text: textOf(message),
    thinking: message.parts.flatMap((part) => (part.type === "thinking" ? [part.text] : [])).join(""),
    calls: toolCallsOf(message)
      .filter(({ name }) => !RUN_BY_THE_PROVIDER.test(name))
      .map(({ name, arguments: text }) => [name, comparableArguments(text)]),
    input: usage && inputTokens(usage),
    output: usage?.outputTokens,
  };
}

function comparableArguments(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

function failure(error: unknown): unknown {
  return isChatError(error)
    ? { failed: error.kind, message: error.message }
    : { bug: String(error), stack: (error as Error).stack };
}
