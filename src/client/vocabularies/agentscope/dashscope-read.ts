import {
  countIn,
  fieldsOf,
  isFields,
  listOf,
  textIn,
  type Fields,
} from "../../../core/protocol/reading/lenient.ts";
import { chatError, statusError } from "../../errors.ts";
import type { Surroundings } from "../../surroundings.ts";
import type { Counts, Draft, Drafts } from "./drafts.ts";
import type { Block } from "./response.ts";
import { calledOf, toolBlocks, wholeInput, type InputReading, type ToolCallSlots } from "./tool-calls.ts";

export interface DashscopeReading {
  readonly parseTools: boolean;
  readonly structured: boolean;
  readonly log: Surroundings["log"];
}

interface State {
  id: string | undefined;
  thinking: string;
  text: string;
  usage: Counts | undefined;
  readonly tools: ToolCallSlots;
}

/** The answers so far of a stream of DashScope's own. @throws ChatError "status" where a chunk says that it failed. */
export async function* readDashscopeStream(
  chunks: AsyncIterable<unknown>,
  reading: DashscopeReading,
): Drafts {
  const state: State = { id: undefined, thinking: "", text: "", usage: undefined, tools: new Map() };
  for await (const one of chunks) {
    const chunk = fieldsOf(one);
    throwIfFailed(chunk, "Failed to get response from _ API: ");
    state.id = textIn(chunk["request_id"]) ?? state.id;
    takeMessage(state, messageOf(chunk));
    state.usage = countsOf(chunk["usage"]) ?? state.usage;
    const draft = draftOf(state, reading, reading.parseTools ? "read" : "empty");
    if (draft.content.length > 0) yield draft;
  }
  const whole = draftOf(state, reading, reading.parseTools ? "kept" : "read");
  if (!reading.parseTools && state.tools.size > 0) yield whole;
  return whole;
}

/** One answer that came whole. @throws ChatError "status" where it says that it failed. */
export function readDashscope(answer: unknown, reading: DashscopeReading): Draft {
  const fields = fieldsOf(answer);
  throwIfFailed(fields, "");
  const message = messageOf(fields);
  const thinking = textIn(message["reasoning_content"]);
  const content: Block[] = thinking === undefined ? [] : [{ type: "thinking", thinking }];
  content.push(...textsOf(message["content"]).map((text): Block => ({ type: "text", text })));
  for (const call of listOf(message["tool_calls"])) {
    const { id, name, text } = calledOf(call);
    const input = text ? wholeInput(text, reading.log) : {};
    content.push({ type: "tool_use", id: id ?? "", name: name ?? "", input });
  }
  const called = content.find((block) => block.type === "tool_use");
  const metadata = reading.structured ? called?.input : undefined;
  return { content, id: textIn(fields["request_id"]), usage: countsOf(fields["usage"]), metadata };
}

function throwIfFailed(answer: Fields, prefix: string): void {
  const status = answer["status_code"];
  if (status === 200) return;
  const message = `${prefix}${JSON.stringify(answer)}`;
  const requestId = textIn(answer["request_id"]);
  const details = { provider: "dashscope", ...(requestId !== undefined && { requestId }) };
  throw typeof status === "number"
    ? statusError(status, message, details)
    : chatError("status", message, details);
}

function messageOf(answer: Fields): Fields {
  const [choice] = listOf(fieldsOf(answer["output"])["choices"]);
  return fieldsOf(fieldsOf(choice)["message"]);
}

function takeMessage(state: State, message: Fields): void {
  state.thinking += textIn(message["reasoning_content"]) ?? "";
  state.text += textsOf(message["content"]).join("");
  for (const piece of listOf(message["tool_calls"])) takeCall(state.tools, fieldsOf(piece));
}

/** Ids and names come in pieces too; an id that comes whole again is not doubled. */
function takeCall(tools: ToolCallSlots, piece: Fields): void {
  const index = piece["index"] ?? 0;
  const { id = "", name = "", text } = calledOf(piece);
  const slot = tools.get(index);
  if (slot === undefined) {
    tools.set(index, { id, name, raw: text ?? null, input: {} });
    return;
  }
  if (id !== slot.id) slot.id += id;
  slot.name += name;
  if (text !== undefined) slot.raw = (slot.raw ?? "") + text;
}

/** A text, or the texts among parts; what says nothing is left out. */
function textsOf(content: unknown): string[] {
  const texts = Array.isArray(content)
    ? content.map((part: unknown) => textIn(fieldsOf(part)["text"]))
    : [textIn(content)];
  return texts.filter((text) => text !== undefined);
}

function countsOf(usage: unknown): Counts | undefined {
  if (!isFields(usage)) return undefined;
  const input = countIn(usage["input_tokens"]) ?? 0;
  return { input, output: countIn(usage["output_tokens"]) ?? 0, raw: usage };
}

function draftOf(state: State, reading: DashscopeReading, inputs: InputReading): Draft {
  const { id, thinking, text, usage, tools } = state;
  const content: Block[] = [];
  if (thinking !== "") content.push({ type: "thinking", thinking });
  if (text !== "") content.push({ type: "text", text });
  const called = toolBlocks(tools, inputs, reading.log);
  content.push(...called);
  return {
    content,
    id,
    usage,
    metadata: reading.structured && inputs !== "empty" ? called[0]?.input : undefined,
  };
}
