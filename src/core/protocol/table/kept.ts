import { messageFrom } from "../anthropic/messages/blocks.ts";
import { composeMessage } from "../anthropic/messages/protocol.ts";
import { composedLines } from "../composed.ts";
import type { Message, Protocol } from "../protocol.ts";
import { fieldsOf, isFields, jsonIn, jsonText, listOf, textIn } from "../reading/lenient.ts";
import { otherPart } from "../reading/parts.ts";
import { textOf } from "../../wire/text.ts";
import { itemMessage } from "../openai/responses/items.ts";
import { projectThing, type OperationRow } from "./row.ts";
import type { Sent } from "./sent.ts";

const list = (): object => ({ object: "list", data: [], has_more: false, first_id: null, last_id: null });
const deletion = ({ id }: Sent): object => ({ id, object: "deleted", type: "deleted", deleted: true });
const model = ({ id }: Sent): object => ({
  id,
  object: "model",
  type: "model",
  display_name: id,
  created: 0,
  created_at: "1970-01-01T00:00:00Z",
  owned_by: "tapedeck",
});
const file = ({ id }: Sent): object => ({
  id: id || "file-tapedeck",
  object: "file",
  type: "file",
  bytes: 0,
  size_bytes: 0,
  created_at: 0,
  filename: "tapedeck",
  mime_type: "application/octet-stream",
  purpose: "user_data",
  status: "processed",
});

/**
 * Models and files, which OpenAI and Anthropic keep under the same paths and with much the same members.
 * Sources: platform.openai.com/docs/api-reference/files, docs.anthropic.com/en/api/files-create, 2026-11.
 */
export const MODELS_AND_FILES: readonly OperationRow[] = [
  { operation: "models.list", call: "GET /models", label: "list of models", sample: list },
  // The names of open models have slashes in them, which not every client encodes.
  { operation: "models.retrieve", call: "GET /models/:id+", label: "model :id", sample: model },
  { operation: "models.delete", call: "DELETE /models/:id+", label: "delete model :id", sample: deletion },
  {
    operation: "files.create",
    call: "POST /files",
    label: ["upload of {files}", "upload of file"],
    sample: file,
  },
  { operation: "files.list", call: "GET /files", label: "list of files", sample: list },
  { operation: "files.content", call: "GET /files/:id/content", label: "content of :id", sample: "content" },
  { operation: "files.retrieve", call: "GET /files/:id", label: "file :id", sample: file },
  { operation: "files.delete", call: "DELETE /files/:id", label: "delete file :id", sample: deletion },
];

const batch = ({ id }: Sent): object => ({
  id: id || "batch_tapedeck",
  object: "batch",
  endpoint: "/v1/chat/completions",
  completion_window: "24h",
  created_at: 0,
  input_file_id: "file-tapedeck",
  status: "completed",
  request_counts: { total: 0, completed: 0, failed: 0 },
});

/**
 * Batches of calls. What a look at one says is a whole answer whatever its state: a test that waits gets the states
 * one after another, as takes. Source: platform.openai.com/docs/api-reference/batch, 2026-11.
 */
export const BATCHES: readonly OperationRow[] = [
  {
    operation: "batches.create",
    call: "POST /batches",
    label: ["batch of calls to {/endpoint}", "batch"],
    sample: batch,
  },
  { operation: "batches.list", call: "GET /batches", label: "list of batches", sample: list },
  { operation: "batches.retrieve", call: "GET /batches/:id", label: "batch :id", sample: batch },
  { operation: "batches.cancel", call: "POST /batches/:id/cancel", label: "cancel batch :id", sample: batch },
];

const messageBatch = ({ id }: Sent): object => ({
  id: id || "msgbatch_tapedeck",
  type: "message_batch",
  processing_status: "ended",
  request_counts: { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
  created_at: "1970-01-01T00:00:00Z",
  expires_at: "1970-01-02T00:00:00Z",
  ended_at: "1970-01-01T00:00:00Z",
  archived_at: null,
  cancel_initiated_at: null,
  results_url: null,
});

const linesIn = (body: Uint8Array): readonly string[] =>
  textOf(body)
    .split("\n")
    .filter((line) => line.trim() !== "");

/** Results, a JSON value a line whatever the content type: each is a message under the name that its request had. */
const asResults: Partial<Protocol> = {
  project: ({ body }) => ({ messages: linesIn(body).map(resultMessage) }),
  compose(draft) {
    const message = jsonIn(textOf(composeMessage(draft, { members: [] }).body));
    const line = { custom_id: "tapedeck", result: { type: "succeeded", message } };
    return composedLines([line], "application/x-jsonl");
  },
  // A line that was cut does not parse; a cut between two lines is told by the connection.
  isWhole: (body) =>
    linesIn(body).every((line) => isFields(jsonIn(line)) && !line.startsWith('{"type":"error"')),
};

function resultMessage(line: string): Message {
  const fields = fieldsOf(jsonIn(line));
  const { type, message, error } = fieldsOf(fields["result"]);
  const role = textIn(fields["custom_id"]);
  if (role === undefined) return { role: "reply", parts: [otherPart("unreadable line", line)] };
  if (isFields(message)) return { ...messageFrom(message, "assistant"), role };
  const kind = textIn(type) ?? "result";
  return { role, parts: [otherPart(kind, error === undefined ? kind : jsonText(fieldsOf(error)["error"]))] };
}

/**
 * Batches of messages, and their results, a JSON value a line.
 * Sources: docs.anthropic.com/en/api/creating-message-batches and /retrieving-message-batch-results, 2026-11.
 */
export const MESSAGE_BATCHES: readonly OperationRow[] = [
  {
    operation: "messages.batches.create",
    call: "POST */messages/batches",
    label: ["batch of {#/requests message}", "batch"],
    sends: [["user", "/requests/*/params/messages"]],
    sample: messageBatch,
  },
  {
    operation: "messages.batches.list",
    call: "GET */messages/batches",
    label: "list of batches",
    sample: list,
  },
  {
    operation: "messages.batches.retrieve",
    call: "GET */messages/batches/:id",
    label: "batch :id",
    sample: messageBatch,
  },
  {
    operation: "messages.batches.cancel",
    call: "POST */messages/batches/:id/cancel",
    label: "cancel batch :id",
    sample: messageBatch,
  },
  {
    operation: "messages.batches.delete",
    call: "DELETE */messages/batches/:id",
    label: "delete batch :id",
    sample: ({ id }) => ({ id, type: "message_batch_deleted" }),
  },
  {
    operation: "messages.batches.results",
    call: "GET */messages/batches/:id/results",
    label: "results of batch :id",
    sample: "content",
    own: asResults,
  },
];

const conversation = ({ id }: Sent): object => ({
  id: id || "conv_tapedeck",
  object: "conversation",
  created_at: 0,
  metadata: {},
});
const item = ({ id }: Sent): object => ({
  id,
  type: "message",
  role: "user",
  status: "completed",
  content: [],
});

/** A list of items, or one, read as messages. */
const asItems: Partial<Protocol> = {
  project(reply) {
    const fields = fieldsOf(jsonIn(textOf(reply.body)));
    if (Array.isArray(fields["data"])) return { messages: listOf(fields["data"]).map(itemMessage) };
    const isItem = typeof fields["type"] === "string" && !fields["error"];
    return isItem ? { messages: [itemMessage(fields)] } : projectThing(reply);
  },
};

/**
 * Conversations that OpenAI keeps, their items, and what it keeps of a response.
 * Source: platform.openai.com/docs/api-reference/conversations, 2026-11.
 */
export const CONVERSATIONS: readonly OperationRow[] = [
  {
    operation: "conversations.create",
    call: "POST /conversations",
    label: "new conversation",
    sends: [["user", "/items"]],
    sample: conversation,
  },
  {
    operation: "conversations.retrieve",
    call: "GET /conversations/:id",
    label: "conversation :id",
    sample: conversation,
  },
  {
    operation: "conversations.update",
    call: "POST /conversations/:id",
    label: "change conversation :id",
    sample: conversation,
  },
  {
    operation: "conversations.delete",
    call: "DELETE /conversations/:id",
    label: "delete conversation :id",
    sample: deletion,
  },
  {
    operation: "conversations.items.create",
    call: "POST /conversations/:id/items",
    label: "add to conversation :id",
    sends: [["user", "/items"]],
    sample: list,
    own: asItems,
  },
  {
    operation: "conversations.items.list",
    call: "GET /conversations/:id/items",
    label: "items of conversation :id",
    sample: list,
    own: asItems,
  },
  {
    operation: "conversations.items.retrieve",
    call: "GET /conversations/:of/items/:id",
    label: "item :id",
    sample: item,
    own: asItems,
  },
  {
    operation: "conversations.items.delete",
    call: "DELETE /conversations/:of/items/:id",
    label: "delete item :id",
    sample: () => conversation({ id: "", fields: {}, files: [] }),
  },
  {
    operation: "responses.input_items",
    call: "GET */responses/:id/input_items",
    label: "input of response :id",
    sample: list,
    own: asItems,
  },
  {
    operation: "responses.delete",
    call: "DELETE */responses/:id",
    label: "delete response :id",
    sample: deletion,
  },
];
