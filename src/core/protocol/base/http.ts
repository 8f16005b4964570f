import { getMember, isJsonObject, writeJson } from "../../base/json/json-tree.ts";
import { encodeUtf8, decodeText } from "../../base/wire/text.ts";
import type { ConversationPart, Protocol } from "./protocol.ts";
import { tryParsePlainJson, stringifyJson } from "../../base/lenient.ts";
import { getMediaKind, createNamedMedia } from "./media.ts";
import { createOtherPart, createTextPart } from "./parts.ts";
import { readReply } from "./reply.ts";
import { readQuerySettings, getText } from "./operation.ts";

/** Any request to any provider, recorded and replayed without interpreting it. */
export const httpProtocol: Protocol = {
  operation: "http",
  accepts: () => true,
  facts({ method, path, body }) {
    const tree = body.kind === "json" ? body.tree : undefined;
    return {
      model: getText(tree, "model"),
      streaming: getMember(tree, "stream") === true,
      label: `${method} ${path.split("?", 1)[0]}`,
    };
  },
  conversation({ path, body }) {
    const settings = readQuerySettings(path);
    if (body.kind === "empty") return { messages: [], settings };
    const part =
      body.kind === "json"
        ? createOtherPart("JSON", writeJson(body.tree, { indent: 2, colon: ": " }))
        : bytesPart(body.bytes, body.contentType);
    return { messages: [{ role: "request", parts: [part] }], settings };
  },
  project(reply) {
    const read = isText(reply.contentType) ? readReply(reply) : undefined;
    const role = reply.status >= 400 ? "error" : "reply";
    if (read?.kind === "stream") {
      const parts = read.events.map(({ data }) => createOtherPart("event", data));
      return { messages: [{ role, parts }], events: read.events.length };
    }
    const part =
      read?.kind === "json"
        ? createOtherPart("JSON", stringifyJson(read.value, 2))
        : bytesPart(reply.body, reply.contentType);
    return { messages: [{ role, parts: [part] }] };
  },
  // The reply is JSON if both the text and the request are JSON; otherwise it is text.
  compose({ text }, { body }) {
    const isJson = body.kind === "json" && isJsonObject(body.tree) && tryParsePlainJson(text) !== undefined;
    return { contentType: isJson ? "application/json" : "text/plain; charset=utf-8", body: encodeUtf8(text) };
  },
  // Replies of unknown operations cannot be checked.
  isWhole: () => true,
};

function bytesPart(bytes: Uint8Array, contentType: string | undefined): ConversationPart {
  if (isText(contentType)) return createTextPart(decodeText(bytes));
  const type = contentType?.split(";", 1)[0]?.trim() || "bytes";
  return createNamedMedia(getMediaKind(type), `${type}, ${bytes.byteLength} bytes`);
}

function isText(contentType: string | undefined): boolean {
  return contentType === undefined || /^text\/|json|xml|x-www-form-urlencoded|javascript/i.test(contentType);
}
