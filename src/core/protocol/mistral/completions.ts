import { localize } from "../../base/localize.ts";
import {
  createOperation,
  createFacts,
  createObjectReader,
  shortenLabel,
  getText,
} from "../base/operation.ts";
import type { Protocol } from "../base/protocol.ts";
import { CHAT } from "../openai/chat/protocol.ts";
import { createMessages, createTextParts } from "../base/parts.ts";
import { createSettingsReader } from "../base/settings.ts";

/**
 * Fills in code between a prefix and a suffix. The reply is a chat completion, streamed or whole.
 * Source: mistralai/client-python `fim.py`, 2026-11.
 */
export const mistralFim: Protocol = createOperation({
  ...CHAT,
  operation: "fim.completions",
  path: "/fim/completions",
  body: createObjectReader("Filling in", "model", "prompt"),
  facts(body) {
    const line = getText(body, "prompt")?.trimEnd().split("\n").at(-1);
    return createFacts(body, shortenLabel(line ?? "") || localize("code to complete"));
  },
  messages: (body) => [
    ...createMessages("user", createTextParts(getText(body, "prompt"))),
    ...createMessages("suffix", createTextParts(getText(body, "suffix"))),
  ],
  settings: createSettingsReader("model", "prompt", "suffix", "stream"),
});

/** A chat with an agent, which determines the model. Source: mistralai/client-python `agents.py`, 2026-11. */
export const mistralAgents: Protocol = createOperation({
  ...CHAT,
  operation: "agents.completions",
  path: "/agents/completions",
  body: createObjectReader("A chat with an agent", "messages"),
  facts(body, request) {
    const facts = CHAT.facts(body, request);
    return { ...facts, model: getText(body, "agent_id") ?? facts.model };
  },
  settings: createSettingsReader("agent_id", "messages", "stream"),
});
