import { cutBody } from "../../../wire/framing.ts";
import { bytesOf, textOf } from "../../../wire/text.ts";
import { messageFrom } from "../messages/blocks.ts";
import { fieldsOf, isFields, jsonIn, jsonText, textIn } from "../../reading/lenient.ts";
import type { Message, Projection, Protocol } from "../../protocol.ts";
import { failureMessage, type Reply } from "../../reading/reply.ts";

const RESULTS = /\/messages\/batches\/([^/]+)\/results$/;

/**
 * The results of a batch, a JSON value a line. Its content type says little, so the lines are looked for in any case.
 * Source: docs.anthropic.com/en/api/retrieving-message-batch-results, 2026-11.
 */
export const anthropicBatchResults: Protocol = {
  operation: "messages.batches.results",
  accepts: (method, pathname) => method === "GET" && RESULTS.test(pathname),
  facts: ({ path }) => ({ streaming: false, label: `results of batch ${RESULTS.exec(path)?.[1] ?? ""}` }),
  conversation: () => ({ messages: [], settings: [] }),
  project: projectResults,
  compose: ({ text }) => ({ contentType: "application/x-jsonl", body: bytesOf(lineFor(text)) }),
  // A line that was cut does not parse; a cut between two lines is told by the connection.
  isWhole: (body) => linesOf(body).every((line) => isResult(jsonIn(line))),
};

function linesOf(body: Uint8Array): string[] {
  return cutBody(body, "lines").flatMap((line) => textOf(line).trim() || []);
}

function isResult(value: unknown): boolean {
  return isFields(value) && value["type"] !== "error";
}

/** Each result is a message under the name that its request had in the batch. */
function projectResults(reply: Reply): Projection {
  return { messages: linesOf(reply.body).map(resultMessage) };
}

function resultMessage(line: string): Message {
  const fields = fieldsOf(jsonIn(line));
  if (fields["type"] === "error") return failureMessage(fields["error"]);
  const result = fieldsOf(fields["result"]);
  const id = textIn(fields["custom_id"]);
  if (id === undefined)
    return { role: "reply", parts: [{ type: "other", description: "unreadable line", text: line }] };
  if (isFields(result["message"])) return { ...messageFrom(result["message"], "assistant"), role: id };
  const { error } = fieldsOf(result["error"]);
  const text = error === undefined ? (textIn(result["type"]) ?? jsonText(result)) : jsonText(error);
  return { role: id, parts: [{ type: "other", description: textIn(result["type"]) ?? "result", text }] };
}

function lineFor(text: string): string {
  const message = {
    id: "msg_tapedeck",
    type: "message",
    role: "assistant",
    model: "",
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0 },
  };
  return `${JSON.stringify({ custom_id: "tapedeck", result: { type: "succeeded", message } })}\n`;
}
