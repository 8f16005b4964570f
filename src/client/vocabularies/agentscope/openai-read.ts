import {
  countIn,
  fieldsOf,
  isFields,
  listOf,
  textIn,
  type Fields,
} from "../../../core/protocol/reading/lenient.ts";
import { repairGrowingObject, type JsonObject } from "../../json/repair-json.ts";
import type { Surroundings } from "../../surroundings.ts";
import type { Counts, Draft, Drafts } from "./drafts.ts";
import type { Block } from "./response.ts";
import { calledOf, toolBlocks, wholeInput, type InputReading, type ToolCallSlots } from "./tool-calls.ts";

/** How an answer is to be read. */
export interface OpenaiReading {
  /** Whether the inputs of tool calls are read while they come. */
  readonly parseTools: boolean;
  /** E.g. "wav". */
  readonly audioFormat: string;
  /** Where a structured answer is looked for. */
  readonly structured?: "text" | "tool";
  readonly log: Surroundings["log"];
}

interface State {
  id: string | undefined;
  thinking: string;
  text: string;
  audio: string;
  usage: Counts | undefined;
  readonly tools: ToolCallSlots;
  metadata: JsonObject | undefined;
}

/** The answers so far of a stream of chat completion chunks. */
export async function* readOpenaiStream(chunks: AsyncIterable<unknown>, reading: OpenaiReading): Drafts {
  const state = newState();
  const { parseTools } = reading;
  for await (const one of chunks) {
    const chunk = fieldsOf(one);
    state.id = textIn(chunk["id"]) ?? state.id;
    state.usage = usageOf(chunk["usage"]) ?? state.usage;
    const [choice] = listOf(chunk["choices"]);
    if (choice !== undefined) takeDelta(state, fieldsOf(fieldsOf(choice)["delta"]));
    const draft = draftOf(state, reading, parseTools ? "read" : "empty");
    if (draft.content.length > 0 && (choice !== undefined || state.usage !== undefined)) yield draft;
  }
  const whole = draftOf(state, reading, parseTools ? "kept" : "read");
  if (!parseTools && state.tools.size > 0) yield whole;
  return whole;
}

/** One answer that came whole. */
export function readOpenai(completion: unknown, reading: OpenaiReading): Draft {
  const fields = fieldsOf(completion);
  const [choice] = listOf(fields["choices"]);
  const message = fieldsOf(fieldsOf(choice)["message"]);
  const content = contentOf(message, reading);
  const called = content.find((block) => block.type === "tool_use");
  return {
    content,
    id: textIn(fields["id"]),
    usage: usageOf(fields["usage"]),
    metadata: reading.structured === "tool" ? called?.input : undefined,
  };
}

function contentOf(message: Fields, { log }: OpenaiReading): Block[] {
  const thinking = thinkingIn(message);
  const text = textIn(message["content"]);
  const audio = message["audio"];
  return [
    ...(thinking === undefined ? [] : [{ type: "thinking" as const, thinking }]),
    ...(text === undefined ? [] : [{ type: "text" as const, text }]),
    ...(isFields(audio) ? audioBlocks(audio) : []),
    ...listOf(message["tool_calls"]).map((call): Block => {
      const { id, name, text: args } = calledOf(call);
      return { type: "tool_use", id: id ?? "", name: name ?? "", input: wholeInput(args ?? "", log) };
    }),
  ];
}

function audioBlocks(audio: Fields): Block[] {
  const data = textIn(audio["data"]) ?? "";
  const transcript = textIn(audio["transcript"]);
  return [
    { type: "audio", source: { data, media_type: "audio/mp3", type: "base64" } },
    ...(transcript === undefined ? [] : [{ type: "text" as const, text: transcript }]),
  ];
}

function newState(): State {
  return {
    id: undefined,
    thinking: "",
    text: "",
    audio: "",
    usage: undefined,
    tools: new Map(),
    metadata: undefined,
  };
}

function takeDelta(state: State, delta: Fields): void {
  state.thinking += thinkingIn(delta) ?? "";
  state.text += textIn(delta["content"]) ?? "";
  const audio = fieldsOf(delta["audio"]);
  state.audio += textIn(audio["data"]) ?? "";
  state.text += textIn(audio["transcript"]) ?? "";
  for (const piece of listOf(delta["tool_calls"])) {
    const { index } = fieldsOf(piece);
    const { id, name, text } = calledOf(piece);
    const slot = state.tools.get(index);
    if (slot !== undefined) slot.raw = (slot.raw ?? "") + (text ?? "");
    else state.tools.set(index, { id: id ?? "", name: name ?? "", raw: text ?? "", input: {} });
  }
}

function draftOf(state: State, reading: OpenaiReading, inputs: InputReading): Draft {
  const { id, thinking, audio, text, usage, tools } = state;
  const content: Block[] = [];
  if (thinking !== "") content.push({ type: "thinking", thinking });
  if (audio !== "") {
    const media_type = `audio/${reading.audioFormat}`;
    content.push({ type: "audio", source: { data: audio, media_type, type: "base64" } });
  }
  if (text !== "") content.push({ type: "text", text });
  const called = toolBlocks(tools, inputs, reading.log);
  content.push(...called);
  if (reading.structured === "text" && text !== "")
    state.metadata = repairGrowingObject(text, state.metadata).value;
  if (reading.structured === "tool" && called[0] !== undefined && inputs !== "empty")
    state.metadata = called[0].input;
  return { content, id, usage, metadata: state.metadata };
}

/** `reasoning_content` where it is a text, also an empty one; else `reasoning`. */
function thinkingIn(fields: Fields): string | undefined {
  return [fields["reasoning_content"], fields["reasoning"]].find((one) => typeof one === "string");
}

function usageOf(usage: unknown): Counts | undefined {
  if (!isFields(usage)) return undefined;
  const input = countIn(usage["prompt_tokens"]) ?? 0;
  return { input, output: countIn(usage["completion_tokens"]) ?? 0, raw: usage };
}
