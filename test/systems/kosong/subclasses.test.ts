import { expect, test } from "vitest";
import {
  EchoChatProvider,
  isRetryableChatProvider,
  MockChatProvider,
  RecoveringMockChatProvider,
  ScriptedEchoChatProvider,
  textPart,
} from "../../../src/systems/kosong/index.ts";

class Named extends MockChatProvider {
  label = "mine";
}

test("a provider of a subclass keeps its class and its own fields with another thinking effort", async () => {
  const provider = new Named([textPart("hi")], { recordThinking: true });
  provider.label = "changed";

  const copy = provider.withThinking("high");

  expect([copy instanceof Named, copy.label, copy.thinkingEffort]).toEqual([true, "changed", "high"]);
  expect(provider.thinkingEffort).toBe(null);
  await copy.generate({ systemPrompt: "", tools: [], history: [] });
  expect(provider.calls).toHaveLength(1);
});

test("so do those that echo", () => {
  class Echo extends EchoChatProvider {}
  class Scripted extends ScriptedEchoChatProvider {}

  expect(new Echo().withThinking("low")).toBeInstanceOf(Echo);
  expect(new Scripted(["text: a"]).withThinking("low")).toBeInstanceOf(Scripted);
});

test("a mock that recovers keeps its class, its failures, and its recoveries with another thinking effort", async () => {
  const failure = new Error("down");
  const provider = new RecoveringMockChatProvider([textPart("up")], { failures: [failure, failure] });
  const prompt = { systemPrompt: "", tools: [], history: [] };

  const copy = provider.withThinking("high");

  await expect(copy.generate(prompt)).rejects.toBe(failure);
  expect(copy.onRetryableError(failure)).toBe(true);
  await expect(provider.generate(prompt)).rejects.toBe(failure);
  await copy.generate(prompt);
  expect(copy).toBeInstanceOf(RecoveringMockChatProvider);
  expect(isRetryableChatProvider(copy)).toBe(true);
  expect(provider.recoveries).toEqual([failure]);
});
