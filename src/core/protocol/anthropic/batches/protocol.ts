import { isJsonArray, isJsonObject, member, type JsonTree } from "../../../json/json-tree.ts";
import { conversationFrom } from "../messages/conversation.ts";
import type { Conversation, Protocol, ProtocolRequest } from "../../protocol.ts";
import { counted } from "../../reading/request.ts";
import { resourceProtocol, type ResourceOperation } from "../../resource.ts";
import { anthropicBatchResults } from "./results.ts";

const COUNTS = { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 };
const batch = (id: string): object => ({
  id: id || "msgbatch_tapedeck",
  type: "message_batch",
  processing_status: "ended",
  request_counts: COUNTS,
  created_at: "1970-01-01T00:00:00Z",
  expires_at: "1970-01-02T00:00:00Z",
  ended_at: "1970-01-01T00:00:00Z",
  archived_at: null,
  cancel_initiated_at: null,
  results_url: null,
});

function requestsOf({ body }: ProtocolRequest): readonly JsonTree[] {
  const requests = body.kind === "json" ? member(body.tree, "requests") : undefined;
  return requests !== undefined && isJsonArray(requests) ? requests : [];
}

/** The messages of every request, each under the name that it has in the batch. */
function conversation(request: ProtocolRequest): Conversation {
  const messages = requestsOf(request).flatMap((one) => {
    const name = member(one, "custom_id");
    const params = member(one, "params");
    if (params === undefined || !isJsonObject(params)) return [];
    return conversationFrom(params).messages.map(({ role, parts }) => ({
      role: typeof name === "string" ? `${name}, ${role}` : role,
      parts,
    }));
  });
  return { messages, settings: [] };
}

const ROWS: readonly ResourceOperation[] = [
  {
    operation: "messages.batches.create",
    method: "POST",
    path: /\/messages\/batches$/,
    label: (_name, request) => `batch of ${counted(requestsOf(request).length, "message")}`,
    sample: batch,
    conversation,
  },
  {
    operation: "messages.batches.list",
    method: "GET",
    path: /\/messages\/batches$/,
    label: () => "list of batches",
    sample: () => ({ data: [], has_more: false, first_id: null, last_id: null }),
  },
  {
    operation: "messages.batches.retrieve",
    method: "GET",
    path: /\/messages\/batches\/([^/]+)$/,
    label: (name) => `batch ${name}`,
    sample: batch,
  },
  {
    operation: "messages.batches.cancel",
    method: "POST",
    path: /\/messages\/batches\/([^/]+)\/cancel$/,
    label: (name) => `cancel batch ${name}`,
    sample: batch,
  },
  {
    operation: "messages.batches.delete",
    method: "DELETE",
    path: /\/messages\/batches\/([^/]+)$/,
    label: (name) => `delete batch ${name}`,
    sample: (id) => ({ id, type: "message_batch_deleted" }),
  },
];

/** Batches of messages and their results. Source: docs.anthropic.com/en/api/creating-message-batches, 2026-11. */
export const anthropicBatches: readonly Protocol[] = [...ROWS.map(resourceProtocol), anthropicBatchResults];
