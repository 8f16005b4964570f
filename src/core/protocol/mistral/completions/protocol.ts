import { member, type JsonObject } from "../../../json/json-tree.ts";
import { composeChat } from "../../openai/chat/compose.ts";
import { messageFrom } from "../../openai/chat/message.ts";
import { openaiChat } from "../../openai/chat/protocol.ts";
import { textIn, listOf } from "../../reading/lenient.ts";
import type { Protocol, ProtocolRequest } from "../../protocol.ts";
import {
  chatBody,
  chatFacts,
  factsWith,
  objectBody,
  shortLabel,
  textsAmong,
  valueAt,
} from "../../reading/request.ts";
import { settingsOf } from "../../reading/settings.ts";

/**
 * What comes between a beginning and an end. The reply is a chat completion, streamed or whole.
 * Source: mistralai/client-python `fim.py`, 2026-11.
 */
export const mistralFim: Protocol = {
  ...openaiChat,
  operation: "fim.completions",
  accepts: (method, pathname) => method === "POST" && pathname.endsWith("/fim/completions"),
  facts: (request) => {
    const body = fimBody(request);
    const prompt = textIn(valueAt(body, "prompt"))?.trimEnd().split("\n").at(-1);
    return factsWith(body, shortLabel(prompt ?? "") || "code to complete");
  },
  conversation: (request) => {
    const body = fimBody(request);
    const part = (role: string, name: string) => {
      const text = textIn(valueAt(body, name));
      return text === undefined ? [] : [{ role, parts: [{ type: "text" as const, text }] }];
    };
    return {
      messages: [...part("user", "prompt"), ...part("suffix", "suffix")],
      settings: settingsOf(body, ["model", "prompt", "suffix", "stream"]),
    };
  },
  compose: (draft, request) => composeChat(draft, fimBody(request)),
};

/** A chat with an agent, whose model the agent decides. Source: mistralai/client-python `agents.py`, 2026-11. */
export const mistralAgents: Protocol = {
  ...openaiChat,
  operation: "agents.completions",
  accepts: (method, pathname) => method === "POST" && pathname.endsWith("/agents/completions"),
  facts: (request) => {
    const body = agentsBody(request);
    const agent = member(body, "agent_id");
    return {
      ...chatFacts(body, (message) => textsAmong(messageFrom(message, "user").parts)),
      ...(typeof agent === "string" && agent !== "" && { model: agent }),
    };
  },
  conversation: (request) => {
    const body = agentsBody(request);
    return {
      messages: listOf(valueAt(body, "messages")).map((message) => messageFrom(message, "message")),
      settings: settingsOf(body, ["agent_id", "messages", "stream"]),
    };
  },
  compose: (draft, request) => composeChat(draft, agentsBody(request)),
};

function fimBody(request: ProtocolRequest): JsonObject {
  return objectBody(request, { operation: "Filling in", needs: ["model", "prompt"] });
}

function agentsBody(request: ProtocolRequest): JsonObject {
  return chatBody(request, { operation: "A chat with an agent", model: false });
}
