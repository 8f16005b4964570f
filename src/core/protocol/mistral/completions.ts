import { localize } from "../../base/localize.ts";
import { operationFrom, factsWith, objectWith, shortLabel, textAt } from "../base/operation.ts";
import type { Protocol } from "../base/protocol.ts";
import { CHAT } from "../openai/chat/protocol.ts";
import { messageOf, textParts } from "../base/parts.ts";
import { allBut } from "../base/settings.ts";

/**
 * Fills in code between a prefix and a suffix. The reply is a chat completion, streamed or whole.
 * Source: mistralai/client-python `fim.py`, 2026-11.
 */
export const mistralFim: Protocol = operationFrom({
  ...CHAT,
  operation: "fim.completions",
  path: "/fim/completions",
  body: objectWith("Filling in", "model", "prompt"),
  facts(body) {
    const line = textAt(body, "prompt")?.trimEnd().split("\n").at(-1);
    return factsWith(body, shortLabel(line ?? "") || localize("code to complete"));
  },
  messages: (body) => [
    ...messageOf("user", textParts(textAt(body, "prompt"))),
    ...messageOf("suffix", textParts(textAt(body, "suffix"))),
  ],
  settings: allBut("model", "prompt", "suffix", "stream"),
});

/** A chat with an agent, which determines the model. Source: mistralai/client-python `agents.py`, 2026-11. */
export const mistralAgents: Protocol = operationFrom({
  ...CHAT,
  operation: "agents.completions",
  path: "/agents/completions",
  body: objectWith("A chat with an agent", "messages"),
  facts(body, request) {
    const facts = CHAT.facts(body, request);
    return { ...facts, model: textAt(body, "agent_id") ?? facts.model };
  },
  settings: allBut("agent_id", "messages", "stream"),
});
