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
  ["batches.create", "POST /batches", batchLabel, batch],
  ["batches.list", "GET /batches", "list of batches", batches],
  ["batches.retrieve", "GET /batches/:id", "batch :id", batch],
  ["batches.cancel", "POST /batches/:id/cancel", "cancel batch :id", batch],
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

const SENT = { conversation: sentItems };
const READ = { project: projectItems };
const message = (id: string): object => ({
  id,
  type: "message",
  role: "user",
  status: "completed",
  content: [],
});
const deletionOf = (object: string) => (id: string) => ({ id, object, deleted: true });

const CONVERSATIONS: readonly ResourceOperation[] = [
  ["conversations.create", "POST /conversations", "new conversation", conversation, SENT],
  ["conversations.retrieve", "GET /conversations/:id", "conversation :id", conversation],
  ["conversations.update", "POST /conversations/:id", "change conversation :id", conversation],
  [
    "conversations.delete",
    "DELETE /conversations/:id",
    "delete conversation :id",
    deletionOf("conversation.deleted"),
  ],
  [
    "conversations.items.create",
    "POST /conversations/:id/items",
    "add to conversation :id",
    items,
    { ...SENT, ...READ },
  ],
  ["conversations.items.list", "GET /conversations/:id/items", "items of conversation :id", items, READ],
  ["conversations.items.retrieve", "GET /conversations/:of/items/:id", "item :id", message, READ],
  [
    "conversations.items.delete",
    "DELETE /conversations/:of/items/:id",
    "delete item :id",
    () => conversation(""),
  ],
  ["responses.input_items", "GET */responses/:id/input_items", "input of response :id", items, READ],
  ["responses.delete", "DELETE */responses/:id", "delete response :id", deletionOf("response.deleted")],
];

/**
 * Conversations that OpenAI keeps, their items, and what it keeps of a response.
 * Source: platform.openai.com/docs/api-reference/conversations, 2026-11.
 */
export const openaiConversations: readonly Protocol[] = CONVERSATIONS.map(resourceProtocol);
