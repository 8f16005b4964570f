import type { SseEvent } from "../../../wire/sse.ts";
import {
  countIn,
  fieldsOf,
  inOrder,
  isFields,
  jsonIn,
  listOf,
  textIn,
  type Fields,
} from "../../base/lenient.ts";
import { messageOf } from "../../base/parts.ts";
import { failureMessage, replyReader, type StreamReading } from "../../base/reply.ts";
import { usageIn } from "../../base/usage.ts";
import type { Projection } from "../../base/protocol.ts";
import { itemParts } from "./items.ts";

/** The neutral reading of a response, whole or streamed: its items are one message. */
export const projectResponse = replyReader({
  failure: ({ output, error }) => !Array.isArray(output) && error,
  whole(fields) {
    if (!Array.isArray(fields["output"])) return undefined;
    const read = projectItems(fields);
    const failures = fields["error"] ? [failureMessage(fields["error"])] : [];
    return { ...read, messages: [...read.messages, ...failures] };
  },
  stream: assemble,
});

function projectItems(response: Fields): Projection {
  return {
    messages: messageOf("assistant", listOf(response["output"]).flatMap(itemParts)),
    usage: usageIn(response["usage"], "responses"),
    finishReason: textIn(fieldsOf(response["incomplete_details"])["reason"]) ?? textIn(response["status"]),
    model: textIn(response["model"]),
  };
}

/** Puts the events together: the last response that an event carries, with the items as far as they came. */
function assemble(events: readonly SseEvent[]): StreamReading {
  const items = new Map<number, Fields>();
  const errors: unknown[] = [];
  let response: Fields = {};
  for (const { data } of events) {
    const event = fieldsOf(jsonIn(data));
    if (isFields(event["response"])) response = event["response"];
    if (event["type"] === "response.failed") errors.push(response["error"] ?? event);
    if (event["type"] === "error" || (event["type"] === undefined && event["error"]))
      errors.push(event["error"] ?? { code: event["code"], message: event["message"] });
    addTo(items, event);
  }
  const whole = listOf(response["output"]);
  // Servers that store nothing end with an empty list.
  const output = whole.length > 0 ? whole : inOrder(items);
  return { read: projectItems({ ...response, output }), errors };
}

function addTo(items: Map<number, Fields>, event: Fields): void {
  const type = textIn(event["type"]) ?? "";
  const at = countIn(event["output_index"]);
  if (at === undefined) return;
  if (type.startsWith("response.output_item.")) {
    items.set(at, fieldsOf(event["item"]));
    return;
  }
  const delta = textIn(event["delta"]);
  const place = PLACES.get(type.replace(/\.delta$/, ""));
  if (delta === undefined || place === undefined || !type.endsWith(".delta")) return;
  const item = items.get(at) ?? {};
  items.set(at, { ...item, ...grown(item, place, { delta, event }) });
}

interface Place {
  /** The member of the item that grows. */
  readonly member: string;
  /** For a list of parts: the type of a part, its text's name, and the event's member with its index. */
  readonly part?: { readonly type: string; readonly text: string; readonly index: string };
}

const inContent = (type: string, text: string): Place => ({
  member: "content",
  part: { type, text, index: "content_index" },
});

/** Where the deltas of an event go. The others only tell what the last event of an item tells as a whole. */
const PLACES: ReadonlyMap<string, Place> = new Map<string, Place>([
  ["response.output_text", inContent("output_text", "text")],
  ["response.refusal", inContent("refusal", "refusal")],
  ["response.reasoning_text", inContent("reasoning_text", "text")],
  [
    "response.reasoning_summary_text",
    { member: "summary", part: { type: "summary_text", text: "text", index: "summary_index" } },
  ],
  ["response.function_call_arguments", { member: "arguments" }],
  ["response.mcp_call_arguments", { member: "arguments" }],
  ["response.custom_tool_call_input", { member: "input" }],
  ["response.code_interpreter_call_code", { member: "code" }],
]);

function grown(
  item: Fields,
  { member, part }: Place,
  { delta, event }: { readonly delta: string; readonly event: Fields },
): Fields {
  if (part === undefined) return { [member]: (textIn(item[member]) ?? "") + delta };
  const parts = new Map(listOf(item[member]).map((one, index) => [index, fieldsOf(one)]));
  // Whoever sends a wild index gets another part, not a list of that length.
  const index = Math.min(countIn(event[part.index]) ?? 0, parts.size);
  const before = parts.get(index) ?? { type: part.type };
  parts.set(index, { ...before, [part.text]: (textIn(before[part.text]) ?? "") + delta });
  return {
    type: item["type"] ?? (member === "content" ? "message" : "reasoning"),
    [member]: [...parts.values()],
  };
}
