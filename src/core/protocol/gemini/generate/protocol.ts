import type { JsonObject } from "../../../json/json-tree.ts";
import { isJsonArray, member } from "../../../json/json-tree.ts";
import { geminiAddress } from "../address.ts";
import type { Protocol, ProtocolRequest, RequestFacts } from "../../protocol.ts";
import { isWholeJson } from "../../reading/reply.ts";
import { objectBody } from "../../reading/request.ts";
import { userLabel } from "../../user-label.ts";
import { composeStream, composeWhole } from "./compose.ts";
import { messageFrom } from "./content.ts";
import { conversationFrom } from "./conversation.ts";
import { projectGenerated } from "./project.ts";
import { geminiStream } from "./stream.ts";

/** Gemini, by the Gemini API and by Vertex AI. Source: ai.google.dev/api/generate-content, 2026-11. */
export const geminiGenerate: Protocol = {
  operation: "generateContent",
  accepts: (method, pathname) => geminiAddress.accepts(method, pathname, "generateContent"),
  facts: (request) => factsOf(request, false),
  conversation: (request) => conversationFrom(bodyOf(request)),
  project: projectGenerated,
  compose: (draft, request) => {
    bodyOf(request);
    return composeWhole(draft, request);
  },
  isWhole: isWholeJson,
};

/** The same as a stream: the address asks for it, the body is no other. */
export const geminiStreamGenerate: Protocol = {
  ...geminiGenerate,
  operation: "streamGenerateContent",
  accepts: (method, pathname) => geminiAddress.accepts(method, pathname, "streamGenerateContent"),
  facts: (request) => factsOf(request, true),
  stream: geminiStream,
  compose: (draft, request) => {
    bodyOf(request);
    return composeStream(draft, request);
  },
};

function factsOf(request: ProtocolRequest, streaming: boolean): RequestFacts {
  const model = geminiAddress.modelIn(request.path);
  const contents = member(bodyOf(request), "contents");
  const list = contents === undefined || isJsonArray(contents) ? contents : [contents];
  const label = userLabel(list, (content) => messageFrom(content, "user"));
  return { ...(model !== undefined && { model }), streaming, label };
}

function bodyOf(request: ProtocolRequest): JsonObject {
  return objectBody(request, { operation: "Generating content", needs: ["contents"] });
}
