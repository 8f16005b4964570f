import { member, type JsonObject } from "../../../json/json-tree.ts";
import type { Protocol, ProtocolRequest } from "../../protocol.ts";
import { objectBody, querySettings } from "../../reading/request.ts";
import { composeResponse } from "./compose.ts";
import { conversationFrom, responseFacts } from "./conversation.ts";
import { projectResponse } from "./project.ts";
import { isWholeResponse, unfinishedResponse } from "./status.ts";
import { openaiResponsesStream } from "./stream.ts";

/**
 * OpenAI responses, and everything that speaks like them.
 * Source: platform.openai.com/docs/api-reference/responses, 2026-11.
 */
export const openaiResponses: Protocol = {
  operation: "responses",
  accepts: (method, pathname) => method === "POST" && pathname.endsWith("/responses"),
  facts: (request) => responseFacts(bodyOf(request)),
  conversation: (request) => conversationFrom(bodyOf(request)),
  project: projectResponse,
  stream: openaiResponsesStream,
  compose: (draft, request) => {
    const body = bodyOf(request);
    const model = member(body, "model");
    return composeResponse(draft, {
      model: typeof model === "string" ? model : "",
      stream: member(body, "stream") === true,
      background: member(body, "background") === true,
    });
  },
  isWhole: isWholeResponse,
};

/** Nothing is needed: a stored prompt names the model, a conversation holds the input. */
function bodyOf(request: ProtocolRequest): JsonObject {
  return objectBody(request, { operation: "A response", needs: [] });
}

const BY_ID = /\/responses\/([^/]+)$/;

/**
 * A response by the id that an earlier reply gave: how clients wait for one in the background, or read its stream
 * from where they left it. Those that are not finished are not recorded, so that replay does not wait.
 */
export const openaiResponseById: Protocol = {
  operation: "responses.retrieve",
  accepts: (method, pathname) => method === "GET" && BY_ID.test(pathname),
  facts: ({ path }) => ({ streaming: isStreamed(path), label: `response ${idIn(path)}` }),
  conversation: ({ path }) => ({ messages: [], settings: querySettings(path) }),
  project: projectResponse,
  stream: openaiResponsesStream,
  compose: (draft, { path }) =>
    composeResponse(draft, { model: "", stream: isStreamed(path), background: true, id: idIn(path) }),
  isWhole: (body) => isWholeResponse(body) && unfinishedResponse(body) === undefined,
  unfinished: unfinishedResponse,
};

function idIn(path: string): string {
  return BY_ID.exec(path.split("?", 1)[0] ?? "")?.[1] ?? "";
}

function isStreamed(path: string): boolean {
  return querySettings(path).some(([name, value]) => name === "stream" && value === "true");
}
