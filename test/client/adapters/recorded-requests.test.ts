import { describe, expect, test } from "vitest";
import { createAzureChat } from "../../../src/client/adapters/azure-openai/index.ts";
import { user } from "../../../src/client/make-message.ts";
import type { ChatRequest } from "../../../src/client/request.ts";
import { loadRecordedTraffic, type RecordedExchange } from "../../support/recorded-traffic.ts";
import { CLIENTS, fetchGiving, type ClientName } from "./clients.ts";
import { fromResponses } from "./recorded-responses.ts";
import { fromAnthropic, fromChat, fromGemini, requestFrom, settled } from "./recorded-request.ts";

const traffic = loadRecordedTraffic(
  ({ request, reply }) => request.isMadeUp !== true && reply.status === 200,
);

const RESPONSES = /^(?:openai|deepseek|mantle) .*\/responses$/;

/** Adapters that rebuild recorded requests, with the parser, the minimum count, and a pattern for provider and path. */
const SPEAKERS: readonly (readonly [
  ClientName,
  read: (body: never) => ChatRequest,
  least: number,
  mine: RegExp,
])[] = [
  ["openai chat", fromChat, 45, /^openai .*\/chat\/completions(?:$|\?)/],
  ["openai compatible", fromChat, 25, /^(?:groq|mistral|deepseek|openrouter) .*\/chat\/completions(?:$|\?)/],
  ["azure chat", fromChat, 1, /^azure .*\/chat\/completions(?:$|\?)/],
  ["openai responses", fromResponses, 40, RESPONSES],
  // There are no recordings of Azure's Responses API, so this row uses OpenAI's.
  ["azure responses", fromResponses, 40, RESPONSES],
  ["anthropic", fromAnthropic, 35, /^anthropic .*\/v1\/messages(?:$|\?)/],
  ["gemini", fromGemini, 12, /^gemini .*generateContent/i],
];

describe("recorded requests", () => {
  test.each(SPEAKERS)("are built by the adapter %s to the last field", async (name, read, least, mine) => {
    const chosen = traffic.exchanges.filter(
      ({ provider, request }) => request.method === "POST" && mine.test(`${provider} ${request.path}`),
    );
    const different: string[] = [];
    let said = 0;
    for (const exchange of chosen) {
      const body = bodyOf(exchange);
      // A plain string is shorthand for a user message.
      const { input } = body as { input?: unknown };
      if (typeof input === "string")
        Object.assign(body as object, { input: [{ role: "user", content: input }] });
      // Gemini's Python SDK sets a role here, which has no effect.
      delete (body as { systemInstruction?: { role?: string } }).systemInstruction?.role;
      const request = requestFrom(read as (body: unknown) => ChatRequest, body);
      if (request === undefined) continue;
      const built = await builtBy(name, request, exchange);
      said += 1;
      const fault = difference(
        settled(built),
        settled(name === "gemini" ? body : { ...(body as object), model: "m" }),
        "body",
      );
      if (fault !== undefined) different.push(`${exchange.source}: ${fault}`);
    }

    console.log(
      `▸ ${name}: ${said} of ${chosen.length} recorded requests written again by the adapter, ${different.length} differ`,
    );
    expect(different).toEqual([]);
    expect(said).toBeGreaterThanOrEqual(least);
  });

  test("go to the address at which Azure was asked, with its deployment and version", async () => {
    const exchange = traffic.exchanges.find(({ provider }) => provider === "azure");
    const path = exchange?.request.path ?? "";
    const [, deployment = "", apiVersion = ""] = /deployments\/([^/]+)\/.*api-version=(.+)$/.exec(path) ?? [];
    const asked: { url?: string } = {};
    const client = createAzureChat({
      endpoint: "https://resource.openai.azure.com",
      apiVersion,
      model: deployment,
      apiKey: "k",
      fetch: fetchGiving(exchange!.reply, asked),
    });

    await client.complete({ messages: [user("Hi")] });

    expect(asked.url).toBe(`https://resource.openai.azure.com${path}`);
  });
});

async function builtBy(name: ClientName, request: ChatRequest, exchange: RecordedExchange): Promise<unknown> {
  const asked: { body?: unknown } = {};
  const client = CLIENTS[name](fetchGiving(exchange.reply, asked));
  const streaming = exchange.reply.contentType.includes("event-stream");
  if (streaming) for await (const _ of client.stream(request)) break;
  else await client.complete(request);
  return asked.body;
}

/** Returns the first field in which two bodies differ. */
function difference(built: unknown, recorded: unknown, where: string): string | undefined {
  if (JSON.stringify(built) === JSON.stringify(recorded)) return undefined;
  if (isTree(built) && isTree(recorded)) {
    for (const name of new Set([...Object.keys(built), ...Object.keys(recorded)])) {
      const inner = difference(built[name], recorded[name], `${where}.${name}`);
      if (inner !== undefined) return inner;
    }
  }
  return `${where} is ${shown(built)} instead of ${shown(recorded)}`;
}

function isTree(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "absent").slice(0, 120);
}

function bodyOf({ request }: RecordedExchange): unknown {
  return JSON.parse(Buffer.from(request.body).toString());
}
