import { member, type JsonObject } from "../../../json/json-tree.ts";
import { linesOf } from "../../composed.ts";
import { textIn, type Fields } from "../../reading/lenient.ts";
import { pictureParts } from "../chat/message.ts";
import { composeOllama, ollamaSettings, streams } from "../request.ts";
import { ollamaStream, projectOllama, writtenOn } from "../reply.ts";
import type { Conversation, Part, Protocol, ProtocolRequest } from "../../protocol.ts";
import { isWholeJson } from "../../reading/reply.ts";
import { factsWith, objectBody, shortLabel, valueAt } from "../../reading/request.ts";

/**
 * Ollama's completion of a prompt. Without a prompt it loads or unloads a model.
 * Source: github.com/ollama/ollama/blob/main/docs/api.md, 2026-11.
 */
export const ollamaGenerate: Protocol = {
  operation: "generate",
  accepts: (method, pathname) => method === "POST" && pathname.endsWith("/api/generate"),
  facts: (request) => {
    const body = bodyOf(request);
    const prompt = member(body, "prompt");
    const said = typeof prompt === "string" && prompt.trim() !== "";
    return {
      ...factsWith(body, said ? shortLabel(prompt) : "load the model"),
      streaming: streams(body),
    };
  },
  conversation: (request) => conversationOf(bodyOf(request)),
  project: (reply) =>
    projectOllama(reply, {
      add: (open, chunk) => writtenOn(open, chunk, ["response", "thinking"]),
      partsOf,
    }),
  stream: ollamaStream,
  compose: (draft, request) =>
    composeOllama(bodyOf(request), linesOf(draft.text), (response) => ({ response })),
  isWhole: isWholeJson,
};

function conversationOf(body: JsonObject): Conversation {
  const system = textIn(valueAt(body, "system"));
  const prompt = textIn(valueAt(body, "prompt"));
  const parts: Part[] = [
    ...(prompt === undefined ? [] : [{ type: "text", text: prompt } as const]),
    ...pictureParts(valueAt(body, "images")),
  ];
  return {
    messages: [
      ...(system === undefined ? [] : [{ role: "system", parts: [{ type: "text", text: system } as const] }]),
      { role: "user", parts },
    ],
    settings: ollamaSettings(body, ["system", "prompt", "images"]),
  };
}

function partsOf(whole: Fields): Part[] {
  const thinking = textIn(whole["thinking"]);
  const response = textIn(whole["response"]);
  return [
    ...(thinking === undefined ? [] : [{ type: "thinking", text: thinking } as const]),
    ...(response === undefined ? [] : [{ type: "text", text: response } as const]),
  ];
}

function bodyOf(request: ProtocolRequest): JsonObject {
  return objectBody(request, { operation: "Generating", needs: ["model"] });
}
