import { member, isJsonObject } from "../../json/json-tree.ts";
import { bytesOf, textOf } from "../../wire/text.ts";
import { jsonIn, jsonText } from "../reading/lenient.ts";
import { mediaNamed } from "../reading/media.ts";
import type {
  Conversation,
  Part,
  Projection,
  Protocol,
  ProtocolRequest,
  ReplyDraft,
  RequestFacts,
} from "../protocol.ts";
import { readReply, type Reply } from "../reading/reply.ts";
import { writeJson } from "../../json/json-write.ts";

/** Any request to any provider: recorded and replayed as it is, without knowing what it means. */
export const httpProtocol: Protocol = {
  operation: "http",
  accepts: () => true,
  facts: factsOf,
  conversation: conversationOf,
  project: projectPlain,
  compose: composePlain,
  // What a whole answer looks like is not known here.
  isWhole: () => true,
};

function factsOf({ method, path, body }: ProtocolRequest): RequestFacts {
  const tree = body.kind === "json" ? body.tree : undefined;
  const model = member(tree, "model");
  return {
    ...(typeof model === "string" && model !== "" && { model }),
    streaming: member(tree, "stream") === true,
    label: `${method} ${path.split("?", 1)[0]}`,
  };
}

function conversationOf({ path, body }: ProtocolRequest): Conversation {
  const query = path.indexOf("?");
  const settings = query < 0 ? [] : [...new URLSearchParams(path.slice(query + 1))];
  if (body.kind === "empty") return { messages: [], settings };
  const part: Part =
    body.kind === "json"
      ? { type: "other", description: "JSON", text: writeJson(body.tree, { indent: 2, colon: ": " }) }
      : bytesPart(body.bytes, body.contentType);
  return { messages: [{ role: "request", parts: [part] }], settings };
}

function projectPlain(reply: Reply): Projection {
  const read = isText(reply.contentType) ? readReply(reply) : undefined;
  const role = reply.status >= 400 ? "error" : "reply";
  if (read?.kind === "stream") {
    const parts = read.events.map(({ data }): Part => ({ type: "other", description: "event", text: data }));
    return { messages: [{ role, parts }], events: read.events.length };
  }
  if (read?.kind === "json") {
    const text = jsonText(read.value, 2);
    return { messages: [{ role, parts: [{ type: "other", description: "JSON", text }] }] };
  }
  return { messages: [{ role, parts: [bytesPart(reply.body, reply.contentType)] }] };
}

/** A body without a shape of its own: JSON where the text is JSON and the request was, else text. */
function composePlain(
  draft: ReplyDraft,
  { body }: ProtocolRequest,
): { contentType: string; body: Uint8Array } {
  const isJson = body.kind === "json" && isJsonObject(body.tree) && jsonIn(draft.text) !== undefined;
  return {
    contentType: isJson ? "application/json" : "text/plain; charset=utf-8",
    body: bytesOf(draft.text),
  };
}

function bytesPart(bytes: Uint8Array, contentType: string | undefined): Part {
  if (isText(contentType)) return { type: "text", text: textOf(bytes) };
  const type = contentType?.split(";", 1)[0]?.trim() || "bytes";
  const media = (["image", "audio", "video"] as const).find((kind) => type.startsWith(`${kind}/`)) ?? "file";
  return mediaNamed(media, `${type}, ${bytes.byteLength} bytes`);
}

function isText(contentType: string | undefined): boolean {
  return contentType === undefined || /^text\/|json|xml|x-www-form-urlencoded|javascript/i.test(contentType);
}
