import { isJsonObject } from "../../json/json-tree.ts";
import type { Conversation, Projection, Protocol, ProtocolRequest, Reply } from "../protocol.ts";
import { fieldsOf, listOf } from "../reading/lenient.ts";
import { readReply } from "../reading/reply.ts";
import { querySettings, textAt, valueAt } from "../reading/request.ts";
import { settingsOf } from "../reading/settings.ts";
import { projectResource, resourceProtocol, type ResourceOperation } from "../resource.ts";
import { inputMessages, itemMessage } from "./responses/items.ts";

const batch = (id: string): object => ({
  id: id || "batch_tapedeck",
  object: "batch",
  endpoint: "/v1/chat/completions",
  completion_window: "24h",
  created_at: 0,
  input_file_id: "file-tapedeck",
  status: "completed",
  request_counts: { total: 0, completed: 0, failed: 0 },
});
const batches = (): object => ({ object: "list", data: [], has_more: false });

function batchLabel({ body }: ProtocolRequest): string {
  const endpoint = body.kind === "json" ? textAt(body.tree, "endpoint") : undefined;
  return endpoint === undefined ? "batch" : `batch of calls to ${endpoint}`;
}

const BATCHES: readonly ResourceOperation[] = [
  { operation: "batches.create", call: "POST /batches", label: batchLabel, sample: batch },
  { operation: "batches.list", call: "GET /batches", label: "list of batches", sample: batches },
  { operation: "batches.retrieve", call: "GET /batches/:id", label: "batch :id", sample: batch },
  { operation: "batches.cancel", call: "POST /batches/:id/cancel", label: "cancel batch :id", sample: batch },
];

/**
 * Batches of calls. What a look at one says is a whole answer whatever its state: a test that waits gets the states
 * one after another, as takes. Source: platform.openai.com/docs/api-reference/batch, 2026-11.
 */
export const openaiBatches: readonly Protocol[] = BATCHES.map(resourceProtocol);

const conversation = (id: string): object => ({
  id: id || "conv_tapedeck",
  object: "conversation",
  created_at: 0,
  metadata: {},
});
const items = (): object => ({ object: "list", data: [], has_more: false, first_id: null, last_id: null });

/** Items that are sent along are shown as the messages that they are. */
function sentItems({ path, body }: ProtocolRequest): Conversation {
  const tree = body.kind === "json" && isJsonObject(body.tree) ? body.tree : { members: [] };
  return {
    messages: inputMessages(valueAt(tree, "items")),
    settings: [...querySettings(path), ...settingsOf(tree, ["items"])],
  };
}

/** A list of items, or one, read as messages. */
function projectItems(reply: Reply): Projection {
  const read = readReply(reply);
  const fields = fieldsOf(read.kind === "json" ? read.value : undefined);
  if (Array.isArray(fields["data"])) return { messages: listOf(fields["data"]).map(itemMessage) };
  const isItem = typeof fields["type"] === "string" && !fields["error"];
  return isItem ? { messages: [itemMessage(fields)] } : projectResource(reply);
}

const CONVERSATIONS: readonly ResourceOperation[] = [
  {
    operation: "conversations.create",
    call: "POST /conversations",
    label: "new conversation",
    sample: conversation,
    conversation: sentItems,
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
    sample: (id) => ({ id, object: "conversation.deleted", deleted: true }),
  },
  {
    operation: "conversations.items.create",
    call: "POST /conversations/:id/items",
    label: "add to conversation :id",
    sample: items,
    conversation: sentItems,
    project: projectItems,
  },
  {
    operation: "conversations.items.list",
    call: "GET /conversations/:id/items",
    label: "items of conversation :id",
    sample: items,
    project: projectItems,
  },
  {
    operation: "conversations.items.retrieve",
    call: "GET /conversations/:of/items/:id",
    label: "item :id",
    sample: (id) => ({ id, type: "message", role: "user", status: "completed", content: [] }),
    project: projectItems,
  },
  {
    operation: "conversations.items.delete",
    call: "DELETE /conversations/:of/items/:id",
    label: "delete item :id",
    sample: () => conversation(""),
  },
  {
    operation: "responses.input_items",
    call: "GET */responses/:id/input_items",
    label: "input of response :id",
    sample: items,
    project: projectItems,
  },
  {
    operation: "responses.delete",
    call: "DELETE */responses/:id",
    label: "delete response :id",
    sample: (id) => ({ id, object: "response.deleted", deleted: true }),
  },
];

/**
 * Conversations that OpenAI keeps, their items, and what it keeps of a response.
 * Source: platform.openai.com/docs/api-reference/conversations, 2026-11.
 */
export const openaiConversations: readonly Protocol[] = CONVERSATIONS.map(resourceProtocol);
