import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { realSurroundings } from "../../src/client/index.ts";
import {
  callableTool,
  MockChatProvider,
  simpleToolset,
  step,
  textPart,
  toolCall,
  toolCallPart,
  toolOk,
} from "../../src/systems/kosong/index.ts";
import { openAiProvider } from "../../src/systems/miroflow/openai-provider.ts";
import { standIn } from "../systems/miroflow/stand-in.ts";

const prompt = { systemPrompt: "", history: [] };
const tool = callableTool({
  name: "f",
  description: "d",
  parameters: { type: "object" },
  call: () => toolOk("done"),
});

/** What listens to a signal while it runs, and has to stop with its end, whichever it is. */
test.each<readonly [what: string, run: (signal: AbortSignal) => Promise<unknown>]>([
  ["a sleep", (signal) => realSurroundings().sleep(1, signal)],
  [
    "a call of MiroFlow's",
    async (signal) => {
      const answer = { choices: [{ message: { content: "hi" }, finish_reason: "stop" }] };
      const { client } = await standIn(openAiProvider, () => answer);
      await client.createMessage({ systemPrompt: "s", messageHistory: [], signal });
    },
  ],
  [
    "a step whose tools have run",
    async (signal) => {
      const provider = new MockChatProvider([toolCall("c", "f"), toolCallPart("{}")]);
      const { toolResults } = await step(provider, simpleToolset([tool]), { ...prompt, signal });
      expect(await toolResults()).toHaveLength(1);
    },
  ],
  [
    "a step that fails",
    async (signal) => {
      const provider = new MockChatProvider([textPart("a")], {
        errorAt: { part: 0, error: new Error("down") },
      });
      await expect(step(provider, simpleToolset([]), { ...prompt, signal })).rejects.toThrow("down");
    },
  ],
])("%s listens to its signal no longer than it lasts", async (_, run) => {
  const { signal } = new AbortController();
  let most = 0;
  const listened = signal.addEventListener.bind(signal);
  signal.addEventListener = (...given: Parameters<typeof listened>) => {
    listened(...given);
    most = Math.max(most, getEventListeners(signal, "abort").length);
  };

  await run(signal);
  await Promise.resolve();

  expect(most).toBeGreaterThan(0);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("a sleep ends when its signal does, before it begins or while it lasts", async () => {
  const world = realSurroundings();
  const controller = new AbortController();
  const sleeping = world.sleep(60_000, controller.signal);
  controller.abort(new Error("left"));

  await expect(sleeping).rejects.toMatchObject({ kind: "cancelled", cause: { message: "left" } });
  await expect(world.sleep(60_000, controller.signal)).rejects.toMatchObject({ kind: "cancelled" });
  await world.sleep(0);
  expect(world.id()).toMatch(/^[0-9a-f]{32}$/);
  expect(Math.abs(world.now() - Date.now())).toBeLessThan(60_000);
});
