import { composeMessage } from "../../anthropic/messages/compose.ts";
import { composeOutput, outputEvents } from "../converse/protocol.ts";
import { composedMessages } from "../message.ts";
import { encodeBase64 } from "../../../cassette/base64.ts";
import { member, type JsonObject } from "../../../json/json-tree.ts";
import { readEvents } from "../../../wire/sse.ts";
import { bytesOf } from "../../../wire/text.ts";
import { cohereEmbed } from "../../cohere/embed/protocol.ts";
import { composedJson, linesOf, type Composed } from "../../composed.ts";
import { fieldsOf, jsonIn } from "../../reading/lenient.ts";
import type { ProtocolRequest, ReplyDraft } from "../../protocol.ts";
import { vectorFor } from "../../reading/vectors.ts";
import { readInvoked } from "./request-families.ts";

/** What is asked of which model. */
export interface Invoked {
  readonly body: JsonObject;
  readonly model: string;
  readonly request: ProtocolRequest;
}

/** A reply that says the draft's text, in the form of the family that was asked. */
export function composeInvoked(draft: ReplyDraft, { body, model, request }: Invoked): Composed {
  if (member(body, "anthropic_version") !== undefined) return composeMessage(draft, withStream(body, false));
  if (member(body, "messages") !== undefined) return composedJson(composeOutput(draft));
  if (readInvoked(body, model).label.endsWith("to embed"))
    return composeVectors(draft, { body, model, request });
  return composedJson(simpleReply(body, draft.text, "stop"));
}

/** The same in chunks; the last one has the counts of Bedrock. */
export function composeChunks(draft: ReplyDraft, { body }: Invoked): Composed {
  const chunks = chunksFor(draft, body);
  const last = chunks.length - 1;
  return composedMessages(
    chunks.map((chunk, index) => {
      const inner = index === last ? { ...fieldsOf(chunk), ...METRICS } : chunk;
      return ["chunk", { bytes: encodeBase64(bytesOf(JSON.stringify(inner))) }] as const;
    }),
  );
}

/** Nothing was spent. */
const METRICS = {
  "amazon-bedrock-invocationMetrics": {
    inputTokenCount: 0,
    outputTokenCount: 0,
    invocationLatency: 0,
    firstByteLatency: 0,
  },
};

function chunksFor(draft: ReplyDraft, body: JsonObject): unknown[] {
  if (member(body, "anthropic_version") !== undefined) {
    const events = readEvents(composeMessage(draft, withStream(body, true)).body);
    return events.map(({ data }) => jsonIn(data));
  }
  if (member(body, "messages") !== undefined)
    return outputEvents(draft).map(([type, data]) => ({ [type]: data }));
  return [...linesOf(draft.text).map((line) => simpleReply(body, line)), simpleReply(body, "", "stop")];
}

function withStream(body: JsonObject, stream: boolean): JsonObject {
  return { members: [...body.members.filter(([name]) => name !== "stream"), ["stream", stream]] };
}

function simpleReply(body: JsonObject, text: string, reason: string | null = null): object {
  if (member(body, "inputText") !== undefined)
    return {
      inputTextTokenCount: 0,
      results: [{ tokenCount: 0, outputText: text, completionReason: reason }],
    };
  if (member(body, "max_gen_len") !== undefined)
    return { generation: text, prompt_token_count: 0, generation_token_count: 0, stop_reason: reason };
  return { outputs: [{ text, stop_reason: reason }] };
}

/** Titan V2's length, and Nova's when it is asked for none. */
const NUMBERS = 1024;

function composeVectors(draft: ReplyDraft, { body, request, model }: Invoked): Composed {
  if (["texts", "images", "inputs"].some((name) => member(body, name) !== undefined)) {
    const asked: JsonObject = { members: [...body.members, ["model", model]] };
    return cohereEmbed.compose(draft, { ...request, body: { kind: "json", tree: asked } });
  }
  const vector = vectorFor(JSON.stringify(body), undefined, NUMBERS);
  if (member(body, "inputText") !== undefined)
    return composedJson({ embedding: vector, inputTextTokenCount: 0 });
  return composedJson({ embeddings: [{ embeddingType: "TEXT", embedding: vector }] });
}
