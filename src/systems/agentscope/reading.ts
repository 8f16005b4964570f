import { type Fields, readFields, readText, readString } from "../../core/base/lenient.ts";
import { repairGrowingObject, repairObject, type RepairedObject } from "../../client/json/repair-json.ts";
import { takeCodePoints } from "../../client/code-points.ts";
import type { Surroundings } from "../../client/surroundings.ts";
import {
  chatResponse,
  chatUsage,
  generatedId,
  type Block,
  type ChatResponse,
  type ToolUseBlock,
} from "./response.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";

export interface ReadOptions {
  /** Whether the inputs of tool calls are parsed during the stream. */
  readonly parseTools: boolean;
  /** Location of a requested structured answer. OpenAI's is in the first tool call of a whole answer. */
  readonly structured?: "text" | "tool" | "first-tool" | undefined;
  /** E.g. "wav", the default in streams. The default in whole answers is "mp3". */
  readonly audioFormat?: string | undefined;
  readonly log: Surroundings["log"];
}

export interface AnswerSoFar {
  id: string | undefined;
  thinking: string;
  /** Signature of the thoughts; undefined if the provider does not sign them. */
  signature: string | undefined;
  audio: string;
  text: string;
  textSignature: string | undefined;
  usage: Counts | undefined;
  metadata: Fields | undefined;
  /** Tool calls that arrive in pieces, in order of first appearance. */
  readonly slots: Map<unknown, ToolCallSlot>;
  /** Tool calls that arrive complete. */
  calls: ToolUseBlock[];
}

/** State of a tool call that arrives in pieces. */
interface ToolCallSlot {
  id: string;
  name: string;
  /** Arguments so far; null before the first piece for providers that distinguish it from an empty text. */
  raw: string | null;
  /** Arguments that were last parsed. */
  read?: RepairedObject;
}

/** Appends to the arguments of a tool call. */
export function addArguments(slot: ToolCallSlot, text: string): void {
  slot.raw = (slot.raw ?? "") + text;
}

/** Snapshot of an answer. Its objects can change later, so that responses copy them. */
export interface Draft {
  readonly content: readonly Block[];
  readonly id?: string | undefined;
  readonly usage?: Counts | undefined;
  readonly metadata?: Fields | undefined;
}

export interface Counts {
  readonly input: number;
  readonly output: number;
  /** Metadata of the usage in all responses. */
  readonly raw?: Fields | undefined;
  /** Metadata of the usage in the last response of a stream. */
  readonly rawAtEnd?: Fields;
}

/** Snapshots during a stream; returns the final one. */
export type Drafts = AsyncGenerator<Draft, Draft, void>;

export function createEmptyAnswer(): AnswerSoFar {
  const unknown = { id: undefined, signature: undefined, textSignature: undefined };
  const none = { usage: undefined, metadata: undefined, slots: new Map(), calls: [] };
  return { ...unknown, thinking: "", audio: "", text: "", ...none };
}

/** Inputs of a stream's tool calls: parsed again, as last parsed, or empty until the end. */
type InputReading = "read" | "kept" | "empty";

export function createDraft(state: AnswerSoFar, reading: ReadOptions, inputs: InputReading): Draft {
  const { id, thinking, signature, audio, text, textSignature, usage } = state;
  const content: Block[] = [];
  if (thinking !== "") content.push({ type: "thinking", thinking, ...pickDefined({ signature }) });
  if (audio !== "") content.push(createAudioBlock(audio, `audio/${reading.audioFormat ?? "wav"}`));
  if (text !== "")
    content.push({ type: "text", text, ...(textSignature && { thought_signature: textSignature }) });
  const called = [...state.slots.values()].map((slot) => toolBlock(slot, inputs, reading.log));
  if (reading.structured === "text" && text !== "") state.metadata = parseObject(text, reading.log);
  const isRead = reading.structured === "first-tool" && inputs !== "empty";
  if (isRead || reading.structured === "tool") state.metadata = called.at(-1)?.input ?? state.metadata;
  return { content: [...content, ...called, ...state.calls], id, usage, metadata: state.metadata };
}

/** Makes the final draft, including a signature without thoughts. Does not repeat warnings of earlier drafts. */
export function createLastDraft(state: AnswerSoFar, reading: ReadOptions, inputs: InputReading): Draft {
  const draft = createDraft(state, { ...reading, log: () => undefined }, inputs);
  const { thinking, signature } = state;
  if (thinking !== "" || !signature) return draft;
  return { ...draft, content: [{ type: "thinking", thinking, signature }, ...draft.content] };
}

export function createAudioBlock(data: string, media_type: string): Block {
  return { type: "audio", source: { data, media_type, type: "base64" } };
}

function toolBlock(slot: ToolCallSlot, inputs: InputReading, log: Surroundings["log"]): ToolUseBlock {
  if (inputs === "read" && slot.raw) {
    slot.read = repairGrowingObject(slot.raw, slot.read);
    if (slot.read.found === "nothing") warnOfNothing(slot.raw, log);
  }
  const { id, name, raw } = slot;
  const input = inputs === "empty" ? {} : (slot.read?.value ?? {});
  return { type: "tool_use", id, name, input, raw_input: raw };
}

/** Parses and repairs an object; logs a warning if the text contains none. */
export function parseObject(text: string, log: Surroundings["log"]): Fields {
  const { value, found } = repairObject(text);
  if (found === "nothing") warnOfNothing(text, log);
  return value;
}

function warnOfNothing(text: string, log: Surroundings["log"]): void {
  const shown = takeCodePoints(text, 100);
  const cut = shown.length < text.length ? "..." : "";
  const message = `Failed to load JSON dict from string: ${shown}${cut}. Returning empty dict instead.`;
  log({ level: "warning", message });
}

/** Reads a call, or a piece of one, in OpenAI's format. `text` can be empty. */
export function readCalled(call: unknown): {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly text: string | undefined;
} {
  const { id, function: called } = readFields(call);
  const { name, arguments: text } = readFields(called);
  return { id: readText(id), name: readText(name), text: readString(text) };
}

/** Returns the structured answer in the tool calls of a whole answer. */
export function readCalledInput(content: readonly Block[], { structured }: ReadOptions): Fields | undefined {
  if (structured !== "tool" && structured !== "first-tool") return undefined;
  const called = content.filter((block) => block.type === "tool_use");
  return called.at(structured === "tool" ? -1 : 0)?.input;
}

export interface CallTime {
  readonly startedMs: number;
  readonly surroundings: Surroundings;
}

/** Converts drafts to responses: independent copies, the same ID if the provider sends none, and one last response. */
export async function* streamResponses(
  drafts: Drafts,
  time: CallTime,
): AsyncGenerator<ChatResponse, void, void> {
  const ownId = generatedId(time.surroundings);
  try {
    let step = await drafts.next();
    while (step.done !== true) {
      yield createResponse(step.value, time, ownId);
      step = await drafts.next();
    }
    const { usage } = step.value;
    const metadata = usage?.raw ?? usage?.rawAtEnd;
    const last: Draft = { ...step.value, usage: usage && { ...usage, raw: metadata } };
    yield { ...createResponse(last, time, ownId), is_last: true };
  } finally {
    // Aborts the request if the consumer stops early.
    await drafts.return({ content: [] });
  }
}

export function createResponse(
  draft: Draft,
  { startedMs, surroundings }: CallTime,
  ownId?: string,
): ChatResponse {
  const { content, id = ownId, usage, metadata = null } = draft;
  const counted = usage && {
    input_tokens: usage.input,
    output_tokens: usage.output,
    time: (surroundings.now() - startedMs) / 1000,
    metadata: structuredClone(usage.raw ?? null),
  };
  return chatResponse(
    {
      content: structuredClone([...content]),
      usage: counted === undefined ? null : chatUsage(counted),
      metadata: structuredClone(metadata),
      ...pickDefined({ id }),
    },
    surroundings,
  );
}
