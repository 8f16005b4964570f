import { isJsonObject, member, type JsonTree } from "../../json/json-tree.ts";
import { cutBody } from "../../wire/framing.ts";
import { textOf } from "../../wire/text.ts";
import { composedLines } from "../composed.ts";
import type { Conversation, Message, Protocol, ProtocolRequest } from "../protocol.ts";
import { fieldsOf, isFields, jsonIn, jsonText, textIn } from "../reading/lenient.ts";
import { otherPart } from "../reading/parts.ts";
import { failureMessage } from "../reading/reply.ts";
import { plural } from "../../plural.ts";
import { itemsAt, nameIn, textAt } from "../reading/request.ts";
import { resourceProtocol, type ResourceOperation } from "../resource.ts";
import { messageFrom } from "./messages/blocks.ts";
import { composeMessage, messagesOf } from "./messages/protocol.ts";

const batch = (id: string): object => ({
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

function requestsOf({ body }: ProtocolRequest): readonly JsonTree[] {
  return body.kind === "json" ? itemsAt(body.tree, "requests") : [];
}

/** The messages of every request, each under the name that it has in the batch. */
function conversation(request: ProtocolRequest): Conversation {
  const messages = requestsOf(request).flatMap((one) => {
    const name = textAt(one, "custom_id");
    const params = member(one, "params");
    if (params === undefined || !isJsonObject(params)) return [];
    return messagesOf(params).map(({ role, parts }) => ({
      role: name === undefined ? role : `${name}, ${role}`,
      parts,
    }));
  });
  return { messages, settings: [] };
}

const batches = (): object => ({ data: [], has_more: false, first_id: null, last_id: null });
const deletion = (id: string): object => ({ id, type: "message_batch_deleted" });
const batchLabel = (request: ProtocolRequest): string =>
  `batch of ${plural(requestsOf(request).length, "message")}`;

const ROWS: readonly ResourceOperation[] = [
  ["messages.batches.create", "POST */messages/batches", batchLabel, batch, { conversation }],
  ["messages.batches.list", "GET */messages/batches", "list of batches", batches],
  ["messages.batches.retrieve", "GET */messages/batches/:id", "batch :id", batch],
  ["messages.batches.cancel", "POST */messages/batches/:id/cancel", "cancel batch :id", batch],
  ["messages.batches.delete", "DELETE */messages/batches/:id", "delete batch :id", deletion],
];

const RESULTS = /\/messages\/batches\/([^/]+)\/results$/;

/**
 * The results of a batch, a JSON value a line. Its content type says little, so the lines are looked for in any case.
 * Source: docs.anthropic.com/en/api/retrieving-message-batch-results, 2026-11.
 */
const results: Protocol = {
  operation: "messages.batches.results",
  accepts: (method, pathname) => method === "GET" && RESULTS.test(pathname),
  facts: (request) => ({ streaming: false, label: `results of batch ${nameIn(request, RESULTS)}` }),
  conversation: () => ({ messages: [], settings: [] }),
  // Each result is a message under the name that its request had in the batch.
  project: ({ body }) => ({ messages: linesIn(body).map(resultMessage) }),
  compose(draft) {
    const message = jsonIn(textOf(composeMessage(draft, { members: [] }).body));
    const line = { custom_id: "tapedeck", result: { type: "succeeded", message } };
    return composedLines([line], "application/x-jsonl");
  },
  // A line that was cut does not parse; a cut between two lines is told by the connection.
  isWhole: (body) =>
    linesIn(body).every((line) => isFields(jsonIn(line)) && fieldsOf(jsonIn(line))["type"] !== "error"),
};

function linesIn(body: Uint8Array): string[] {
  return cutBody(body, "lines").flatMap((line) => textOf(line).trim() || []);
}

function resultMessage(line: string): Message {
  const fields = fieldsOf(jsonIn(line));
  if (fields["type"] === "error") return failureMessage(fields["error"]);
  const result = fieldsOf(fields["result"]);
  const id = textIn(fields["custom_id"]);
  if (id === undefined) return { role: "reply", parts: [otherPart("unreadable line", line)] };
  if (isFields(result["message"])) return { ...messageFrom(result["message"], "assistant"), role: id };
  const { error } = fieldsOf(result["error"]);
  const type = textIn(result["type"]);
  const text = error === undefined ? (type ?? jsonText(result)) : jsonText(error);
  return { role: id, parts: [otherPart(type ?? "result", text)] };
}

/** Batches of messages and their results. Source: docs.anthropic.com/en/api/creating-message-batches, 2026-11. */
export const anthropicBatches: readonly Protocol[] = [...ROWS.map(resourceProtocol), results];
