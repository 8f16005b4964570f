import {
  countIn,
  fieldsOf,
  isFields,
  listOf,
  textIn,
  type Fields,
} from "../../../core/protocol/reading/lenient.ts";
import type { JsonObject } from "../../json/repair-json.ts";
import type { Surroundings } from "../../surroundings.ts";
import type { Counts, Draft, Drafts } from "./drafts.ts";
import type { Block } from "./response.ts";
import { toolBlocks, type InputReading, type ToolCallSlots } from "./tool-calls.ts";

/** How an answer is to be read. */
export interface AnthropicReading {
  readonly parseTools: boolean;
  /** The structured answer is the input of the tool that was forced. */
  readonly structured: boolean;
  readonly log: Surroundings["log"];
}

interface State {
  id: string | undefined;
  thinking: string;
  signature: string;
  text: string;
  usage: Counts | undefined;
  readonly tools: ToolCallSlots;
}

/** The answers so far of a stream of message events. Nothing is told before the usage is known. */
export async function* readAnthropicStream(
  events: AsyncIterable<unknown>,
  reading: AnthropicReading,
): Drafts {
  const tools: ToolCallSlots = new Map();
  const state: State = { id: undefined, thinking: "", signature: "", text: "", usage: undefined, tools };
  for await (const event of events) {
    const told = takeEvent(state, fieldsOf(event));
    if (told && state.usage !== undefined)
      yield draftOf(state, reading, reading.parseTools ? "read" : "empty");
  }
  const read = reading.parseTools && state.usage !== undefined;
  const whole = draftOf(state, reading, read ? "kept" : "read");
  if (!reading.parseTools && tools.size > 0 && state.usage !== undefined) yield whole;
  return whole;
}

/** One answer that came whole: blocks apart and in order; kinds that are not known are passed over. */
export function readAnthropic(message: unknown, reading: AnthropicReading): Draft {
  const fields = fieldsOf(message);
  const content = listOf(fields["content"]).flatMap((block) => blockOf(fieldsOf(block)));
  const called = content.find((block) => block.type === "tool_use");
  return {
    content,
    id: textIn(fields["id"]),
    usage: isFields(fields["usage"]) ? countsOf(fields["usage"]) : undefined,
    metadata: reading.structured ? called?.input : undefined,
  };
}

function blockOf(block: Fields): Block[] {
  const { type, text, thinking, id, name, input } = block;
  if (type === "text") return [{ type, text: textIn(text) ?? "" }];
  if (type === "thinking")
    return [{ type, thinking: textIn(thinking) ?? "", signature: textIn(block["signature"]) ?? "" }];
  if (type !== "tool_use") return [];
  return [{ type, id: textIn(id) ?? "", name: textIn(name) ?? "", input: fieldsOf(input) }];
}

/** Whether the event changed what there is to tell. */
function takeEvent(state: State, event: Fields): boolean {
  if (event["type"] === "message_start") return takeStart(state, fieldsOf(event["message"]));
  if (event["type"] === "content_block_start") return takeBlock(state, event);
  if (event["type"] === "content_block_delta") return takeDelta(state, event);
  if (event["type"] === "message_delta") takeUsage(state, event["usage"]);
  return false;
}

function takeStart(state: State, message: Fields): boolean {
  state.id = textIn(message["id"]);
  state.usage = countsOf(fieldsOf(message["usage"]));
  return false;
}

function takeBlock({ tools }: State, event: Fields): boolean {
  const block = fieldsOf(event["content_block"]);
  if (block["type"] !== "tool_use") return false;
  const [id = "", name = ""] = [textIn(block["id"]), textIn(block["name"])];
  tools.set(event["index"], { id, name, raw: "", input: {} });
  return true;
}

function takeDelta(state: State, event: Fields): boolean {
  const delta = fieldsOf(event["delta"]);
  if (delta["type"] === "text_delta") {
    state.text += textIn(delta["text"]) ?? "";
    return true;
  }
  if (delta["type"] === "thinking_delta") {
    state.thinking += textIn(delta["thinking"]) ?? "";
    return true;
  }
  if (delta["type"] === "signature_delta") state.signature = textIn(delta["signature"]) ?? "";
  const slot = delta["type"] === "input_json_delta" ? state.tools.get(event["index"]) : undefined;
  if (slot !== undefined) slot.raw = (slot.raw ?? "") + (textIn(delta["partial_json"]) ?? "");
  return slot !== undefined;
}

/** What comes at the end: the output's count stands, the input's counts only where it is larger. */
function takeUsage(state: State, given: unknown): void {
  if (state.usage === undefined || !isFields(given)) return;
  const { input, output, rawAtEnd } = state.usage;
  state.usage = {
    input: Math.max(input, countIn(given["input_tokens"]) ?? 0),
    output: countIn(given["output_tokens"]) ?? output,
    rawAtEnd: { ...fieldsOf(rawAtEnd), ...given },
  };
}

function countsOf(usage: Fields): Counts {
  const input = countIn(usage["input_tokens"]) ?? 0;
  return { input, output: countIn(usage["output_tokens"]) ?? 0, rawAtEnd: usage };
}

function draftOf(state: State, reading: AnthropicReading, inputs: InputReading): Draft {
  const { id, thinking, signature, text, usage, tools } = state;
  const content: Block[] = [];
  if (thinking !== "" || signature !== "") content.push({ type: "thinking", thinking, signature });
  if (text !== "") content.push({ type: "text", text });
  const called = toolBlocks(tools, inputs, reading.log);
  content.push(...called);
  const metadata: JsonObject | undefined =
    reading.structured && inputs !== "empty" ? called[0]?.input : undefined;
  return { content, id, usage, metadata };
}
