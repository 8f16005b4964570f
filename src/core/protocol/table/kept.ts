import { localize } from "../../base/localize.ts";
import { readAnthropicMessage } from "../anthropic/blocks.ts";
import { composeMessage } from "../anthropic/protocol.ts";
import { composeLines } from "../base/composed.ts";
import type { ConversationMessage, Protocol } from "../base/protocol.ts";
import {
  readFields,
  isFields,
  tryParsePlainJson,
  stringifyJson,
  readList,
  readText,
} from "../../base/lenient.ts";
import { createOtherPart } from "../base/parts.ts";
import { decodeText } from "../../base/wire/text.ts";
import { readItemMessage } from "../openai/responses/items.ts";
import { EMPTY_LIST, projectThing } from "./row.ts";
import { createResource, makeRows } from "./rows.ts";

const EPOCH = "1970-01-01T00:00:00Z";
const FILE = {
  object: "file",
  type: "file",
  bytes: 0,
  size_bytes: 0,
  filename: "tapedeck",
  mime_type: "application/octet-stream",
  purpose: "user_data",
  status: "processed",
};
const BATCH = {
  object: "batch",
  endpoint: "/v1/chat/completions",
  completion_window: "24h",
  input_file_id: "file-tapedeck",
  request_counts: { total: 0, completed: 0, failed: 0 },
};
const MESSAGE_BATCH = {
  type: "message_batch",
  processing_status: "ended",
  request_counts: { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
  created_at: EPOCH,
  expires_at: EPOCH,
  ended_at: EPOCH,
  archived_at: null,
  cancel_initiated_at: null,
  results_url: null,
};

/**
 * Models and files. OpenAI and Anthropic use the same paths and similar members.
 * Sources: platform.openai.com/docs/api-reference/files, docs.anthropic.com/en/api/files-create, 2026-11.
 */
export const MODELS_AND_FILES = makeRows(
  ["models.list", "GET /models"],
  // Names of open models contain slashes, which not all clients encode.
  [
    "models.retrieve",
    "GET /models/:id+",
    {
      sample: {
        object: "model",
        type: "model",
        display_name: "",
        created: 0,
        created_at: EPOCH,
        owned_by: "tapedeck",
      },
    },
  ],
  ["models.delete", "DELETE /models/:id+"],
  createResource("/files", "create list retrieve delete content", { sample: FILE }),
);

/**
 * Batches of calls. A retrieved batch is a whole answer in any state, so a test that polls gets the states
 * one after another, as takes. Source: platform.openai.com/docs/api-reference/batch, 2026-11.
 */
export const BATCHES = makeRows(
  createResource("/batches", "create list retrieve cancel", {
    label: "batch of calls to {/endpoint}",
    sample: BATCH,
  }),
);

const linesIn = (body: Uint8Array): readonly string[] =>
  decodeText(body)
    .split("\n")
    .filter((line) => line.trim() !== "");

/** Results, one JSON value per line for any content type. Each is a message under the name of its request. */
const asResults: Partial<Protocol> = {
  project: ({ body }) => ({ messages: linesIn(body).map(resultMessage) }),
  compose(draft) {
    const message = tryParsePlainJson(decodeText(composeMessage(draft, { members: [] }).body));
    const line = { custom_id: "tapedeck", result: { type: "succeeded", message } };
    return composeLines([line], "application/x-jsonl");
  },
  // A truncated line does not parse. Only the connection reports a body that ends early between two lines.
  isWhole: (body) =>
    linesIn(body).every((line) => isFields(tryParsePlainJson(line)) && !line.startsWith('{"type":"error"')),
};

function resultMessage(line: string): ConversationMessage {
  const fields = readFields(tryParsePlainJson(line));
  const { type, message, error } = readFields(fields["result"]);
  const role = readText(fields["custom_id"]);
  if (role === undefined)
    return { role: "reply", parts: [createOtherPart(localize("unreadable line"), line)] };
  if (isFields(message)) return { ...readAnthropicMessage(message, "assistant"), role };
  const kind = readText(type) ?? "result";
  return {
    role,
    parts: [createOtherPart(kind, error === undefined ? kind : stringifyJson(readFields(error)["error"]))],
  };
}

/**
 * Batches of messages, and their results with one JSON value per line.
 * Sources: docs.anthropic.com/en/api/creating-message-batches and /retrieving-message-batch-results, 2026-11.
 */
export const MESSAGE_BATCHES = makeRows(
  createResource("*/messages/batches", "create list retrieve delete cancel", {
    label: "batch of {#/requests message}",
    sends: [["user", "/requests/*/params/messages"]],
    sample: MESSAGE_BATCH,
  }),
  ["messages.batches.results", "GET */messages/batches/:id/results", { sample: "content", own: asResults }],
);

/** A list of items, or one, read as messages. */
const asItems: Partial<Protocol> = {
  project(reply) {
    const fields = readFields(tryParsePlainJson(decodeText(reply.body)));
    if (Array.isArray(fields["data"])) return { messages: readList(fields["data"]).map(readItemMessage) };
    const isItem = typeof fields["type"] === "string" && !fields["error"];
    return isItem ? { messages: [readItemMessage(fields)] } : projectThing(reply);
  },
};

/**
 * Conversations that OpenAI stores, their items, and stored responses.
 * Source: platform.openai.com/docs/api-reference/conversations, 2026-11.
 */
export const CONVERSATIONS = makeRows(
  createResource("/conversations", "create retrieve update delete", { sends: [["user", "/items"]] }),
  [
    "conversations.items.create",
    "POST /conversations/:id/items",
    { sends: [["user", "/items"]], sample: () => EMPTY_LIST, own: asItems },
  ],
  ["conversations.items.list", "GET /conversations/:id/items", { own: asItems }],
  [
    "conversations.items.retrieve",
    "GET /conversations/:of/items/:id",
    { sample: { type: "message", role: "user", content: [] }, own: asItems },
  ],
  ["conversations.items.delete", "DELETE /conversations/:of/items/:id"],
  ["responses.input_items", "GET */responses/:id/input_items", { own: asItems }],
  ["responses.delete", "DELETE */responses/:id"],
);
