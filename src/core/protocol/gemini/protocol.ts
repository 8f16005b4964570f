import { isJsonArray, isJsonObject, getMember, type JsonObject } from "../../base/json/json-tree.ts";
import {
  composeArguments,
  composeFrames,
  composeJson,
  composeFinish,
  splitDraft,
  composeUsage,
} from "../base/composed.ts";
import { geminiAddress } from "../base/model-address.ts";
import {
  createOperation,
  createTokenCount,
  type Operation,
  labelChat,
  createObjectReader,
} from "../base/operation.ts";
import type { ComposedReply, Protocol, ReplyDraft } from "../base/protocol.ts";
import { readGeminiMessage, readGeminiMessages, readGeminiSettings } from "./content.ts";
import { GEMINI_FAMILY } from "./reply.ts";
import { endsWith, createStreamRules } from "../base/events.ts";

const GENERATE: Operation<JsonObject> = {
  operation: "generateContent",
  path: geminiAddress.pathOf("generateContent"),
  body: createObjectReader("Generating content", "contents"),
  facts(body, { path }) {
    const contents = getMember(body, "contents") ?? [];
    const list = isJsonArray(contents) ? contents : [contents];
    const label = labelChat(list, (content) => readGeminiMessage(content, "user"));
    return { model: geminiAddress.modelIn(path), streaming: true, label };
  },
  messages: readGeminiMessages,
  settings: readGeminiSettings,
  family: GEMINI_FAMILY,
  compose: (draft, _body, { path }) => composeJson(lastChunk(path, draft, draftParts(draft))),
  composesToolCalls: true,
};

/** Gemini, by the Gemini API and by Vertex AI. Source: ai.google.dev/api/generate-content, 2026-11. */
export const geminiGenerate: Protocol = createOperation(GENERATE);

/**
 * A `finishReason` or a blocked prompt announces the end of a stream. Chunks with grounding or usage can follow, so that
 * only the end of the body ends it. With `alt=sse` it consists of server-sent events, otherwise it is one JSON array up
 * to its closing bracket. A failure is a chunk with `error`.
 * Source: ai.google.dev/api/generate-content#v1beta.models.streamGenerateContent, 2026-11.
 */
const generateStream = createStreamRules(GEMINI_FAMILY, {
  isTerminal: (event) => (isElement(event) ? event.trimEnd().endsWith("]") : endsWith(GEMINI_FAMILY, event)),
  endsWithBody: true,
  inJson: "array",
});

/** Gemini as a stream, with its own path and the same body. */
export const geminiStreamGenerate: Protocol = createOperation({
  ...GENERATE,
  operation: "streamGenerateContent",
  path: geminiAddress.pathOf("streamGenerateContent"),
  stream: generateStream,
  compose: (draft, _body, { path }) => composeStream(draft, path),
});

/** Counts the tokens of contents, or of a whole request under `generateContentRequest`. Source: ai.google.dev/api/tokens, 2026-11. */
export const geminiCountTokens: Protocol = createTokenCount(GENERATE, {
  operation: "countTokens",
  path: geminiAddress.pathOf("countTokens"),
  member: "totalTokens",
  body(request) {
    const body = createObjectReader("Counting tokens")(request);
    const whole = getMember(body, "generateContentRequest");
    return whole !== undefined && isJsonObject(whole) ? whole : body;
  },
});

/** Whether a piece is an element of the array, which starts with the bracket or comma before it. */
const isElement = (event: string): boolean => /^\s*(?:[[\],{]|$)/.test(event);

const FINISHED = { stop: "STOP", length: "MAX_TOKENS", "content-filter": "SAFETY", "tool-calls": "STOP" };

/** Composes a stream with a chunk per piece of text, as server-sent events or a JSON array, depending on the path. */
function composeStream(draft: ReplyDraft, path: string): ComposedReply {
  const calls = callsOf(draft);
  const chunks = [
    ...splitDraft(draft).map((text) => chunk(path, [{ text }])),
    ...(calls.length > 0 ? [chunk(path, calls)] : []),
    lastChunk(path, draft, [{ text: "" }]),
  ];
  if (!/[?&]\$?alt=sse(?:&|$)/.test(path)) return composeJson(chunks, "application/json; charset=UTF-8");
  return composeFrames(chunks.map((one) => `data: ${JSON.stringify(one)}\r\n\r\n`));
}

function draftParts(draft: ReplyDraft): readonly object[] {
  const calls = callsOf(draft);
  return draft.text === "" && calls.length > 0 ? calls : [{ text: draft.text }, ...calls];
}

function callsOf({ toolCalls = [] }: ReplyDraft): readonly object[] {
  return toolCalls.map((call) => ({
    functionCall: { id: call.id, name: call.name, args: composeArguments(call) },
  }));
}

function lastChunk(path: string, draft: ReplyDraft, parts: readonly object[]): object {
  const { input, output } = composeUsage(draft);
  const usageMetadata = {
    promptTokenCount: input,
    candidatesTokenCount: output,
    totalTokenCount: input + output,
  };
  return chunk(path, parts, { finishReason: composeFinish(draft, FINISHED), usageMetadata });
}

function chunk(
  path: string,
  parts: readonly object[],
  { finishReason, usageMetadata }: { readonly finishReason?: string; readonly usageMetadata?: object } = {},
): object {
  return {
    candidates: [{ content: { parts, role: "model" }, finishReason, index: 0 }],
    usageMetadata,
    modelVersion: geminiAddress.modelIn(path) ?? "",
    responseId: "tapedeck",
  };
}
