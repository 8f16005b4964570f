import {
  getMember,
  isJsonObject,
  writeJson,
  type JsonObject,
  type JsonTree,
} from "../../base/json/json-tree.ts";
import { encodeUtf8, decodeText } from "../../base/wire/text.ts";
import type { RequestBody } from "../../base/read-body.ts";
import type { ConversationPart, Protocol } from "./protocol.ts";
import { tryParsePlainJson, stringifyJson } from "../../base/lenient.ts";
import { getMediaKind, createNamedMedia } from "./media.ts";
import { createOtherPart, createTextPart } from "./parts.ts";
import { readReply } from "./reply.ts";
import { labelPath, readQuerySettings, getText } from "./operation.ts";

/** Any request to any provider, recorded and replayed without interpreting it. */
export const httpProtocol: Protocol = {
  operation: "http",
  accepts: () => true,
  facts(request) {
    const { body } = request;
    const tree = body.kind === "json" ? body.tree : undefined;
    return {
      model: getText(tree, "model"),
      streaming: getMember(tree, "stream") === true,
      label: readRpcLabel(tree) ?? labelPath(request),
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

/*
 * JSON-RPC, which MCP speaks over HTTP. Clients number their requests, so the number of a request changes with each call before
 * it. Source: modelcontextprotocol.io/specification, "Base protocol" and "Progress", 2026-11.
 */

const isRpc = (tree: JsonTree | undefined): tree is JsonObject =>
  tree !== undefined && isJsonObject(tree) && getMember(tree, "jsonrpc") === "2.0";

/** "tools/call search" for a call of JSON-RPC. */
function readRpcLabel(tree: JsonTree | undefined): string | undefined {
  const method = isRpc(tree) ? getText(tree, "method") : undefined;
  const params = getMember(tree, "params");
  const name = getText(params, "name") ?? getText(params, "uri");
  return method !== undefined && name !== undefined ? `${method} ${name}` : method;
}

/** Returns a request of plain HTTP without the numbers by which its client names it, if it is one of JSON-RPC. */
export function withoutRpcNumbers<T extends { readonly body: RequestBody }>(request: T): T {
  const { body } = request;
  if (body.kind !== "json" || !isRpc(body.tree) || getText(body.tree, "method") === undefined) return request;
  const tree = replaceMember(replaceAt(body.tree, TOKEN_OF_REQUEST, UNNUMBERED), "id", UNNUMBERED);
  return { ...request, body: { ...body, tree } };
}

const UNNUMBERED: JsonTree = { number: "0" };
const TOKEN_OF_REQUEST = ["params", "_meta", "progressToken"] as const;
const TOKEN_OF_PROGRESS = ["params", "progressToken"] as const;

/** Returns a recorded message of JSON-RPC with the numbers of the request that it answers now. */
export function withRpcNumbers(message: JsonTree, request: JsonTree): JsonTree {
  if (!isRpc(message) || !isRpc(request)) return message;
  const [id, token] = [getMember(request, "id"), getAt(request, TOKEN_OF_REQUEST)];
  if (getMember(message, "method") === undefined)
    return id === undefined ? message : replaceMember(message, "id", id);
  const isProgress = getMember(message, "method") === "notifications/progress" && token !== undefined;
  return isProgress ? replaceAt(message, TOKEN_OF_PROGRESS, token) : message;
}

const getAt = (tree: JsonTree, path: readonly string[]): JsonTree | undefined =>
  path.reduce<JsonTree | undefined>(getMember, tree);

function replaceAt(tree: JsonObject, [name = "", ...rest]: readonly string[], value: JsonTree): JsonObject {
  if (rest.length === 0) return replaceMember(tree, name, value);
  const inner = getMember(tree, name);
  return inner !== undefined && isJsonObject(inner)
    ? replaceMember(tree, name, replaceAt(inner, rest, value))
    : tree;
}

const replaceMember = ({ members }: JsonObject, name: string, value: JsonTree): JsonObject => ({
  members: members.map(([key, old]) => [key, key === name && old !== null ? value : old]),
});

function bytesPart(bytes: Uint8Array, contentType: string | undefined): ConversationPart {
  if (isText(contentType)) return createTextPart(decodeText(bytes));
  const type = contentType?.split(";", 1)[0]?.trim() || "bytes";
  return createNamedMedia(getMediaKind(type), `${type}, ${bytes.byteLength} bytes`);
}

function isText(contentType: string | undefined): boolean {
  return contentType === undefined || /^text\/|json|xml|x-www-form-urlencoded|javascript/i.test(contentType);
}
