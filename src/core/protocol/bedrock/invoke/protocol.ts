import type { JsonObject } from "../../../json/json-tree.ts";
import { readFrame } from "../../../wire/sse.ts";
import { bedrockAddress } from "../address.ts";
import { failureOf } from "../message.ts";
import { fieldsOf, jsonIn } from "../../reading/lenient.ts";
import type { Protocol, ProtocolRequest, RequestFacts, StreamRules } from "../../protocol.ts";
import { isWholeJson } from "../../reading/reply.ts";
import { objectBody } from "../../reading/request.ts";
import { composeChunks, composeInvoked } from "./compose.ts";
import { projectInvoked } from "./project.ts";
import { readInvoked } from "./request-families.ts";

/**
 * The last chunk has Bedrock's own counts (`amazon-bedrock-invocationMetrics`), whatever the model's maker is. A
 * failure is a message of the type exception, or the maker's own event `error` in a chunk.
 * Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html, 2026-11.
 */
const invokeStream: StreamRules = {
  isTerminal: isLast,
  endsWithBody: true,
  isError: (frame) => failureOf(frame) !== undefined || chunkOf(frame)["type"] === "error",
  // A message is of no use before its checksum: each waits until it is whole.
  mayBeTerminal: () => true,
};

/** Bedrock's invoke: body and reply are the model maker's. */
export const bedrockInvoke: Protocol = {
  operation: "invoke",
  accepts: (method, pathname) => bedrockAddress.accepts(method, pathname, "invoke"),
  facts: (request) => factsOf(request, false),
  conversation: (request) => readInvoked(bodyOf(request), modelOf(request)).conversation(),
  project: projectInvoked,
  compose: (draft, request) =>
    composeInvoked(draft, { body: bodyOf(request), model: modelOf(request), request }),
  isWhole: isWholeJson,
};

/** The same as a stream of chunks. */
export const bedrockInvokeStream: Protocol = {
  ...bedrockInvoke,
  operation: "invoke-with-response-stream",
  accepts: (method, pathname) => bedrockAddress.accepts(method, pathname, "invoke-with-response-stream"),
  facts: (request) => factsOf(request, true),
  stream: invokeStream,
  compose: (draft, request) =>
    composeChunks(draft, { body: bodyOf(request), model: modelOf(request), request }),
};

/** A Titan stream that a guardrail ends has no counts: its last chunk says why it ended, which the others do not. */
function isLast(frame: string): boolean {
  const data = readFrame(frame).data ?? "";
  if (!/"(?:amazon-bedrock-invocationMetrics|completionReason)"/.test(data)) return false;
  const chunk = chunkOf(frame);
  return "amazon-bedrock-invocationMetrics" in chunk || typeof chunk["completionReason"] === "string";
}

function chunkOf(frame: string): ReturnType<typeof fieldsOf> {
  return fieldsOf(jsonIn(readFrame(frame).data ?? ""));
}

function factsOf(request: ProtocolRequest, streaming: boolean): RequestFacts {
  const model = bedrockAddress.modelIn(request.path);
  const { label } = readInvoked(bodyOf(request), modelOf(request));
  return { ...(model !== undefined && { model }), streaming, label };
}

function modelOf(request: ProtocolRequest): string {
  return bedrockAddress.modelIn(request.path) ?? "";
}

function bodyOf(request: ProtocolRequest): JsonObject {
  return objectBody(request, { operation: "Invoke", needs: [] });
}
