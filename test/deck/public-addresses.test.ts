import { join } from "node:path";
import OpenAI from "openai";
import { expect, it, onTestFinished } from "vitest";
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

it("an address of an unknown provider is refused", async () => {
  const deck = openDeck({ dir: join(aFolder(), ".tapedeck") });
  onTestFinished(() => deck.close());

  const reply = await deck.fetch(deck.createRun("record"))("https://api.openai.com.example/v1/models");

  expect([reply.status, reply.headers.get("x-tapedeck-outcome")]).toEqual([404, "refused"]);
});
