import { fieldsOf, listOf } from "../../reading/lenient.ts";
import { itemMessage } from "../responses/items.ts";
import { inputMessages } from "../responses/conversation.ts";
import type { Conversation, Projection, Protocol, ProtocolRequest } from "../../protocol.ts";
import { readReply, type Reply } from "../../reading/reply.ts";
import { querySettings, valueAt } from "../../reading/request.ts";
import { projectResource, resourceProtocol, topLevel, type ResourceOperation } from "../../resource.ts";
import { settingsOf } from "../../reading/settings.ts";
import { isJsonObject } from "../../../json/json-tree.ts";

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

const ROWS: readonly ResourceOperation[] = [
  {
    operation: "conversations.create",
    method: "POST",
    path: topLevel("/conversations"),
    label: () => "new conversation",
    sample: conversation,
    conversation: sentItems,
  },
  {
    operation: "conversations.retrieve",
    method: "GET",
    path: topLevel("/conversations/([^/]+)"),
    label: (name) => `conversation ${name}`,
    sample: conversation,
  },
  {
    operation: "conversations.update",
    method: "POST",
    path: topLevel("/conversations/([^/]+)"),
    label: (name) => `change conversation ${name}`,
    sample: conversation,
  },
  {
    operation: "conversations.delete",
    method: "DELETE",
    path: topLevel("/conversations/([^/]+)"),
    label: (name) => `delete conversation ${name}`,
    sample: (id) => ({ id, object: "conversation.deleted", deleted: true }),
  },
  {
    operation: "conversations.items.create",
    method: "POST",
    path: topLevel("/conversations/([^/]+)/items"),
    label: (name) => `add to conversation ${name}`,
    sample: items,
    conversation: sentItems,
    project: projectItems,
  },
  {
    operation: "conversations.items.list",
    method: "GET",
    path: topLevel("/conversations/([^/]+)/items"),
    label: (name) => `items of conversation ${name}`,
    sample: items,
    project: projectItems,
  },
  {
    operation: "conversations.items.retrieve",
    method: "GET",
    path: topLevel("/conversations/[^/]+/items/([^/]+)"),
    label: (name) => `item ${name}`,
    sample: (id) => ({ id, type: "message", role: "user", status: "completed", content: [] }),
    project: projectItems,
  },
  {
    operation: "conversations.items.delete",
    method: "DELETE",
    path: topLevel("/conversations/[^/]+/items/([^/]+)"),
    label: (name) => `delete item ${name}`,
    sample: () => conversation(""),
  },
  {
    operation: "responses.input_items",
    method: "GET",
    path: /\/responses\/([^/]+)\/input_items$/,
    label: (name) => `input of response ${name}`,
    sample: items,
    project: projectItems,
  },
  {
    operation: "responses.delete",
    method: "DELETE",
    path: /\/responses\/([^/]+)$/,
    label: (name) => `delete response ${name}`,
    sample: (id) => ({ id, object: "response.deleted", deleted: true }),
  },
];

/**
 * Conversations that OpenAI keeps, their items, and what it keeps of a response.
 * Source: platform.openai.com/docs/api-reference/conversations, 2026-11.
 */
export const openaiConversations: readonly Protocol[] = ROWS.map(resourceProtocol);
