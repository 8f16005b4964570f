import { member, isJsonArray, type JsonObject } from "../../../json/json-tree.ts";
import { listOf } from "../../reading/lenient.ts";
import { givenUpText, openaiChatStream } from "../chat/stream.ts";
import type { Message, Protocol, ProtocolRequest, RequestFacts } from "../../protocol.ts";
import { isWholeJson } from "../../reading/reply.ts";
import { counted, factsWith, objectBody, shortLabel, valueAt } from "../../reading/request.ts";
import { settingsOf } from "../../reading/settings.ts";
import { composeCompletion } from "./compose.ts";
import { projectCompletion } from "./project.ts";

/**
 * OpenAI's older completions of a prompt, which many servers of open models speak. Streams end as those of chats do.
 * Source: platform.openai.com/docs/api-reference/completions, 2026-11.
 */
export const openaiCompletions: Protocol = {
  operation: "completions",
  accepts: (method, pathname) => method === "POST" && PATH.test(pathname),
  facts: (request) => facts(bodyOf(request)),
  conversation: (request) => {
    const body = bodyOf(request);
    return {
      messages: promptMessages(valueAt(body, "prompt")),
      settings: settingsOf(body, ["model", "prompt", "stream"]),
    };
  },
  project: projectCompletion,
  stream: openaiChatStream,
  compose: (draft, request) => composeCompletion(draft, bodyOf(request)),
  isWhole: (body) => isWholeJson(body) && givenUpText(body) === undefined,
  unfinished: givenUpText,
};

/** Chats, Mistral's agents and its filling in of code end alike and mean something else. */
const PATH = /(?<!\/(?:chat|fim|agents))\/completions$/;

/** A prompt may be left out, and Azure names the model in the path. */
function bodyOf(request: ProtocolRequest): JsonObject {
  const needs = request.path.includes("/deployments/") ? [] : ["model"];
  return objectBody(request, { operation: "A completion", needs });
}

function facts(body: JsonObject): RequestFacts {
  const prompt = member(body, "prompt");
  const texts = typeof prompt === "string" ? [prompt] : prompt && isJsonArray(prompt) ? prompt : [];
  const last = texts.findLast((text) => typeof text === "string" && text.trim() !== "");
  const label =
    typeof last === "string" ? shortLabel(last) : `completion of ${counted(texts.length, "prompt")}`;
  return factsWith(body, label);
}

/** A text, several, or tokens of one or several. */
function promptMessages(prompt: unknown): Message[] {
  if (typeof prompt === "string") return [asked(prompt)];
  const list = listOf(prompt);
  if (list.length === 0) return [];
  if (list.every((one) => typeof one === "number")) return [asked(counted(list.length, "token"))];
  return list.map((one) => asked(typeof one === "string" ? one : counted(listOf(one).length, "token")));
}

function asked(text: string): Message {
  return { role: "user", parts: [{ type: "text", text }] };
}
