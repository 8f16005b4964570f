import { decodeBase64, encodeBase64 } from "../../base/base64.ts";
import { localize } from "../../base/localize.ts";
import { tryParseJson } from "../../base/json/json-parse.ts";
import {
  isJsonObject,
  getMember,
  plainJson,
  writeJson,
  type JsonObject,
  type JsonTree,
} from "../../base/json/json-tree.ts";
import { readEvents, readFrame } from "../../base/wire/sse.ts";
import { encodeUtf8, decodeText } from "../../base/wire/text.ts";
import { readAnthropicMessage as anthropicMessage } from "../anthropic/blocks.ts";
import {
  composeMessage,
  readAnthropicMessages as anthropicMessages,
  otherSettings,
} from "../anthropic/protocol.ts";
import { composeJson, splitDraft } from "../base/composed.ts";
import { bedrockAddress } from "../base/model-address.ts";
import {
  createOperation,
  createTokenCount,
  type Operation,
  createObjectReader,
  getItems,
  labelChat,
} from "../base/operation.ts";
import type {
  ComposedReply,
  Conversation,
  Protocol,
  ProtocolRequest,
  ReplyDraft,
  RequestFacts,
} from "../base/protocol.ts";
import { readFields, tryParsePlainJson, type Fields } from "../../base/lenient.ts";
import { isWholeJson } from "../base/reply.ts";
import { createStreamRules } from "../base/events.ts";
import { listSettings } from "../base/settings.ts";
import { fillLabel, listSentMessages } from "../table/sent.ts";
import { composeVector } from "../table/vectors.ts";
import { readConverseMessage, readConverseMessages, readConverseSettings } from "./converse-message.ts";
import { composeConverseEvents, composeOutput } from "./converse-protocol.ts";
import { composeEventMessages, readWholeFailure } from "./event-messages.ts";
import { INVOKE_FAMILY } from "./invoke-reply.ts";

/** A request to invoke, read in the format of the model's vendor. */
interface InvokeRequest extends Pick<RequestFacts, "label"> {
  readonly body: JsonObject;
  readonly model: string | undefined;
  readonly conversation: () => Conversation;
}

const readBody = createObjectReader("Invoke");

const INVOKE: Operation<InvokeRequest> = {
  operation: "invoke",
  path: bedrockAddress.pathOf("invoke"),
  body: (request) => readFamily(readBody(request), request),
  facts: ({ model, label }) => ({ model, streaming: true, label }),
  messages: ({ conversation }) => conversation().messages,
  settings: ({ conversation }) => conversation().settings,
  family: INVOKE_FAMILY,
  // Vendors use different members in their replies.
  isWhole: isWholeJson,
  compose: composeInvoked,
};

/** Names of the members with the text of a request without messages, of all vendors. */
const INPUTS = ["prompt", "inputText", "textToImageParams", "singleEmbeddingParams", "texts"];
const SENDS = [
  ["user", "/prompt", "/inputText", "/textToImageParams/text", "/singleEmbeddingParams/text/value", "/texts"],
] as const;
const LABEL = SENDS[0].slice(1).map((pointer) => `{${pointer}}`);

/** Source: docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html, 2026-11. */
function readFamily(body: JsonObject, { path }: ProtocolRequest): InvokeRequest {
  const model = bedrockAddress.modelIn(path);
  if (getMember(body, "messages") === undefined) {
    const sent = { id: "", fields: readFields(plainJson(body)), files: [] };
    const conversation = (): Conversation => ({
      messages: listSentMessages(SENDS, sent),
      settings: listSettings(body, INPUTS),
    });
    return { body, model, label: fillLabel(LABEL, sent) ?? localize("invoke"), conversation };
  }
  const isAnthropic = getMember(body, "anthropic_version") !== undefined;
  const read = isAnthropic ? anthropicMessage : readConverseMessage;
  return {
    body,
    model,
    label: labelChat(getItems(body, "messages"), (message) => read(message, "user")),
    conversation: () => ({
      messages: (isAnthropic ? anthropicMessages : readConverseMessages)(body),
      settings: (isAnthropic ? otherSettings : readConverseSettings)(body),
    }),
  };
}

/** Bedrock's invoke: body and reply have the format of the model's vendor. */
export const bedrockInvoke: Protocol = createOperation(INVOKE);

const COUNTS = "amazon-bedrock-invocationMetrics";

/**
 * Bedrock's invoke as a stream of chunks. The last one has Bedrock's counts for all vendors. A failure is a message of
 * the type exception, or the vendor's event `error` in a chunk.
 * Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html, 2026-11.
 */
export const bedrockInvokeStream: Protocol = createOperation({
  ...INVOKE,
  operation: "invoke-with-response-stream",
  path: bedrockAddress.pathOf("invoke-with-response-stream"),
  // A message is held back until it is complete, because clients verify its checksum.
  stream: createStreamRules(INVOKE_FAMILY, { isTerminal: isLast, endsWithBody: true }),
  compose: composeChunks,
});

/** Whether a frame is the last chunk. If a guardrail ends a Titan stream, it has a completion reason instead of counts. */
function isLast(frame: string): boolean {
  if (!frame.includes(COUNTS) && !frame.includes("completionReason")) return false;
  const chunk = chunkOf(frame);
  return COUNTS in chunk || typeof chunk["completionReason"] === "string";
}

const chunkOf = (frame: string): Fields => readFields(tryParsePlainJson(readFrame(frame).data ?? ""));

/** Composes a reply with the draft's text in the format of the model's vendor. */
function composeInvoked(draft: ReplyDraft, { body, model = "" }: InvokeRequest): ComposedReply {
  if (getMember(body, "anthropic_version") !== undefined)
    return composeMessage(draft, withStream(body, false));
  if (getMember(body, "messages") !== undefined) return composeJson(composeOutput(draft));
  const isEmbedding =
    /embed/i.test(model) || EMBEDDING_MEMBERS.some((name) => getMember(body, name) !== undefined);
  return composeJson(isEmbedding ? composeVectors(body) : simpleReply(body, draft.text, "stop"));
}

/** Members that only requests for vectors have, in case the name of the model is not known. */
const EMBEDDING_MEMBERS = ["texts", "normalize", "singleEmbeddingParams"];

/** Composes vectors in the format of Cohere, Titan, or Nova. */
function composeVectors(body: JsonObject): Fields {
  const inputs = ["texts", "images", "inputs"].flatMap((name) => getItems(body, name));
  if (inputs.length > 0) {
    const vectors = inputs.map((input) => composeVector(writeJson(input), undefined, NUMBERS));
    return { embeddings: getMember(body, "embedding_types") === undefined ? vectors : { float: vectors } };
  }
  const embedding = composeVector(writeJson(body), undefined, NUMBERS);
  if (getMember(body, "inputText") !== undefined) return { embedding, inputTextTokenCount: 0 };
  return { embeddings: [{ embeddingType: "TEXT", embedding }] };
}

/** Dimensions of Titan V2's vectors, and Nova's default. */
const NUMBERS = 1024;

/** Composes a stream of chunks with the draft's text. */
function composeChunks(draft: ReplyDraft, { body }: InvokeRequest): ComposedReply {
  const chunks = chunksFor(draft, body);
  const last = { ...readFields(chunks.at(-1)), ...METRICS };
  return composeEventMessages(
    [...chunks.slice(0, -1), last].map((chunk) => {
      const bytes = encodeBase64(encodeUtf8(JSON.stringify(chunk)));
      return ["chunk", { bytes }] as const;
    }),
  );
}

/** Zero counts for the last chunk. */
const METRICS = {
  [COUNTS]: { inputTokenCount: 0, outputTokenCount: 0, invocationLatency: 0, firstByteLatency: 0 },
};

function chunksFor(draft: ReplyDraft, body: JsonObject): unknown[] {
  if (getMember(body, "anthropic_version") !== undefined) {
    const events = readEvents(composeMessage(draft, withStream(body, true)).body);
    return events.map(({ data }) => tryParsePlainJson(data));
  }
  if (getMember(body, "messages") !== undefined)
    return composeConverseEvents(draft).map(([type, data]) => ({ [type]: data }));
  return [...splitDraft(draft).map((line) => simpleReply(body, line)), simpleReply(body, "", "stop")];
}

function withStream(body: JsonObject, stream: boolean): JsonObject {
  return { members: [...body.members.filter(([name]) => name !== "stream"), ["stream", stream]] };
}

function simpleReply(body: JsonObject, text: string, reason: string | null = null): object {
  if (getMember(body, "inputText") !== undefined)
    return {
      inputTextTokenCount: 0,
      results: [{ tokenCount: 0, outputText: text, completionReason: reason }],
    };
  if (getMember(body, "max_gen_len") !== undefined)
    return { generation: text, prompt_token_count: 0, generation_token_count: 0, stop_reason: reason };
  return { outputs: [{ text, stop_reason: reason }] };
}

const readCounted = createObjectReader("Counting tokens", "input");

/**
 * Counts the tokens of a converse or an invoke.
 * Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html, 2026-11.
 */
export const bedrockCountTokens: Protocol = createTokenCount(INVOKE, {
  operation: "count-tokens",
  path: bedrockAddress.pathOf("count-tokens"),
  member: "inputTokens",
  body: (request) => readFamily(countedIn(readCounted(request)), request),
  failure: readWholeFailure,
});

/** Finds the request whose tokens to count: a converse request, or the base64 body of an invoke request. */
function countedIn(body: JsonObject): JsonObject {
  const input = getMember(body, "input");
  const encoded = getMember(getMember(input, "invokeModel"), "body");
  const inner = typeof encoded === "string" ? invokedIn(encoded) : getMember(input, "converse");
  return inner !== undefined && isJsonObject(inner) ? inner : body;
}

function invokedIn(base64: string): JsonTree | undefined {
  const bytes = decodeBase64(base64);
  return bytes && tryParseJson(decodeText(bytes));
}
