import { expect, test } from "vitest";
import { chaosClient, fixedClient, functionClient, retrying } from "../../src/client/index.ts";
import { MockChatProvider } from "../../src/systems/kosong/index.ts";
import { createSession, memoryCache, MockLLM } from "../../src/systems/metagpt/index.ts";
import { createMiroClient, openAiProvider } from "../../src/systems/miroflow/index.ts";
import { LLM } from "../../src/systems/openmanus/index.ts";
import { failureOf, given } from "./bad-input/cells.ts";

const inner = fixedClient("fine");
/** An option that there is not. */
const odd = given({ retrys: 3 });

test.each<readonly [who: string, ask: () => unknown]>([
  ["fixedClient", () => fixedClient("x", odd)],
  ["functionClient", () => functionClient(() => "x", odd)],
  ["retrying", () => retrying(inner, "standard", odd)],
  ["chaosClient", () => chaosClient(inner, odd)],
  ["kosong's mock", () => new MockChatProvider([], odd)],
  ["MetaGPT's mock", () => new MockLLM(odd)],
  ["MetaGPT's session", () => createSession(given({ cache: memoryCache(), retrys: 3 }))],
  ["OpenManus's LLM", () => new LLM(odd)],
  ["MiroFlow's client", () => createMiroClient(openAiProvider, odd)],
])("%s refuses an unknown option and lists the known ones", async (_, ask) => {
  expect(await failureOf(ask)).toEqual({
    kind: "validation",
    where: "options.retrys",
    message: "options.retrys: there is no such option",
  });
});

test.each<readonly [who: string, ask: (options: never) => unknown]>([
  ["fixedClient", (options) => fixedClient("x", options)],
  ["MetaGPT's mock", (options) => new MockLLM(options)],
  ["OpenManus's LLM", (options) => new LLM(options)],
  ["MiroFlow's client", (options) => createMiroClient(openAiProvider, options)],
])("%s refuses invalid options", async (_, ask) => {
  expect(await failureOf(() => ask(given(null)))).toMatchObject({
    where: "options",
    message: "options: an object of options is expected, got null",
  });
});

test.each<readonly [who: string, ask: (client: never) => unknown]>([
  ["retrying", (client) => retrying(client)],
  ["chaosClient", (client) => chaosClient(client, { plan: () => undefined })],
])("%s refuses what no client is", async (_, ask) => {
  expect(await failureOf(() => ask(given({ chat: {} })))).toMatchObject({
    where: "client",
    message: "client: a chat client, with complete and stream, is expected, got object",
  });
});
