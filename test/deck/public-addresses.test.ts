import { join } from "node:path";
import OpenAI from "openai";
import { expect, it, onTestFinished, vi } from "vitest";
import { openDeck } from "../../src/deck/deck.ts";
import { COMPLETION } from "../support/a-completion.ts";
import { aFolder } from "../support/a-folder.ts";
import { aServer } from "../support/a-server.ts";

it("a client without a base URL calls the gateway that replaces its provider", async () => {
  const asked: (string | undefined)[] = [];
  const gateway = await aServer((request, response) => {
    asked.push(request.url);
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(COMPLETION));
    });
  });
  const deck = openDeck({ dir: join(aFolder(), ".tapedeck"), upstreams: { openai: `${gateway}/llm` } });
  onTestFinished(() => deck.close());
  const ask = async (mode: "record" | "strict", baseURL?: string) => {
    const fetch = deck.fetch(deck.createRun(mode));
    const client = new OpenAI({ apiKey: "sk-of-the-test", maxRetries: 0, fetch, baseURL: baseURL ?? null });
    const messages = [{ role: "user" as const, content: "Say hi" }];
    const { response } = await client.chat.completions.create({ model: "m", messages }).withResponse();
    return response.headers.get("x-tapedeck-outcome");
  };

  const outcomes = [await ask("record"), await ask("strict"), await ask("strict", `${gateway}/llm/v1`)];

  expect(outcomes).toEqual(["recorded", "replayed", "replayed"]);
  expect(asked).toEqual(["/llm/v1/chat/completions"]);
});

it("a client that reads the address of the run around it calls the provider of that address", async () => {
  vi.stubEnv("TAPEDECK_URL", "http://127.0.0.1:9/token");
  onTestFinished(() => void vi.unstubAllEnvs());
  const gateway = await aServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(COMPLETION));
  });
  const deck = openDeck({ dir: join(aFolder(), ".tapedeck"), upstreams: { openai: gateway } });
  onTestFinished(() => deck.close());
  const ask = async (mode: "record" | "strict", address: string): Promise<string | null> => {
    const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Say hi" }] });
    const reply = await deck.fetch(deck.createRun(mode))(address, { method: "POST", body });
    return reply.headers.get("x-tapedeck-outcome");
  };

  const outcomes = [
    await ask("record", "http://127.0.0.1:9/token/openai/v1/chat/completions"),
    await ask("strict", "http://127.0.0.1:9/token/openai/v1/chat/completions"),
    await ask("strict", "https://api.openai.com/v1/chat/completions"),
    await ask("strict", "http://127.0.0.1:9/token/unknown/v1/models"),
    await ask("strict", "http://127.0.0.1:9/tokens/openai/v1/models"),
  ];

  expect(outcomes).toEqual(["recorded", "replayed", "replayed", "refused", "refused"]);
});

it("an address of an unknown provider is refused", async () => {
  const deck = openDeck({ dir: join(aFolder(), ".tapedeck") });
  onTestFinished(() => deck.close());

  const reply = await deck.fetch(deck.createRun("record"))("https://api.openai.com.example/v1/models");

  expect([reply.status, reply.headers.get("x-tapedeck-outcome")]).toEqual([404, "refused"]);
});
