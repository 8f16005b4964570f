import { type Fields, fieldsOf, textIn, stringIn } from "../../core/base/lenient.ts";
import { repairGrowingObject, repairObject, type RepairedObject } from "../../client/json/repair-json.ts";
import { firstCodePoints } from "../../client/code-points.ts";
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

export interface Reading {
  /** Whether the inputs of tool calls are read while they come. */
  readonly parseTools: boolean;
  /** Where a structured answer is looked for, where one was asked for; OpenAI's is in the first tool call of a whole answer. */
  readonly structured?: "text" | "tool" | "first-tool" | undefined;
  /** E.g. "wav", which it is in streams where none is asked for; in whole answers "mp3". */
  readonly audioFormat?: string | undefined;
  readonly log: Surroundings["log"];
}

/** How one provider's answers are read; `stream` begins one of them. */
export interface ProviderReader {
  readonly stream: (reading: Reading) => StreamReader;
  readonly whole: (answer: Fields, reading: Reading) => Draft;
}

interface StreamReader {
  /** What is known before the first chunk. */
  readonly start?: Partial<AnswerSoFar>;
  take(state: AnswerSoFar, chunk: Fields): Taken | void;
  /** Whether an answer without content is told too. Default false. */
  readonly tellsEmpty?: (chunk: Fields) => boolean;
  /** Takes in what was held back until the end. */
  end?(state: AnswerSoFar): void;
}

/** What a chunk brings, where it is nothing new: nothing to tell, or what is told already, with other usage. */
export type Taken = "silent" | "as-before";

export interface AnswerSoFar {
  id: string | undefined;
  thinking: string;
  /** Of the thoughts; undefined where the provider signs none. */
  signature: string | undefined;
  audio: string;
  text: string;
  textSignature: string | undefined;
  usage: Counts | undefined;
  metadata: Fields | undefined;
  /** Tool calls that come in pieces, in order of first appearance. */
  readonly slots: Map<unknown, ToolCallSlot>;
  /** Tool calls that come whole. */
  calls: ToolUseBlock[];
}

/** A tool call as its pieces come. */
interface ToolCallSlot {
  id: string;
  name: string;
  /** The arguments so far; null until some came, where the provider parts that from none. */
  raw: string | null;
  /** What was last read of them. */
  read?: RepairedObject;
}

/** More of a tool call's arguments. */
export function addArguments(slot: ToolCallSlot, text: string): void {
  slot.raw = (slot.raw ?? "") + text;
}

/** What is known of an answer at one moment. Its maker may go on to change it: every response is a copy. */
export interface Draft {
  readonly content: readonly Block[];
  readonly id?: string | undefined;
  readonly usage?: Counts | undefined;
  readonly metadata?: Fields | undefined;
}

export interface Counts {
  readonly input: number;
  readonly output: number;
  /** What goes into the metadata of every response's usage. */
  readonly raw?: Fields | undefined;
  /** What only the last response of a stream says. */
  readonly rawAtEnd?: Fields;
}

/** Drafts as they come, and at the end what is known then. */
export type Drafts = AsyncGenerator<Draft, Draft, void>;

/** The answers so far of a stream of a provider's chunks. */
export async function* readStream(
  provider: ProviderReader,
  chunks: AsyncIterable<unknown>,
  reading: Reading,
): Drafts {
  const { parseTools } = reading;
  const reader = provider.stream(reading);
  const state = { ...nothingYet(), ...reader.start };
  let begun = false;
  for await (const one of chunks) {
    const chunk = fieldsOf(one);
    const taken = reader.take(state, chunk);
    if (taken === "silent") continue;
    begun = true;
    const quiet = taken === "as-before" && parseTools ? "kept" : undefined;
    const draft = draftOf(state, reading, quiet ?? (parseTools ? "read" : "empty"));
    if (draft.content.length > 0 || reader.tellsEmpty?.(chunk) === true) yield draft;
  }
  reader.end?.(state);
  if (!parseTools && begun && state.slots.size > 0) yield draftOf(state, reading, "read");
  return lastDraftOf(state, reading, begun ? "kept" : "read");
}

function nothingYet(): AnswerSoFar {
  const unknown = { id: undefined, signature: undefined, textSignature: undefined };
  const none = { usage: undefined, metadata: undefined, slots: new Map(), calls: [] };
  return { ...unknown, thinking: "", audio: "", text: "", ...none };
}

/** What the inputs in a stream's tool calls are: read anew, as they were read last, or empty until the end. */
type InputReading = "read" | "kept" | "empty";

function draftOf(state: AnswerSoFar, reading: Reading, inputs: InputReading): Draft {
  const { id, thinking, signature, audio, text, textSignature, usage } = state;
  const content: Block[] = [];
  if (thinking !== "") content.push({ type: "thinking", thinking, ...pickDefined({ signature }) });
  if (audio !== "") content.push(audioBlock(audio, `audio/${reading.audioFormat ?? "wav"}`));
  if (text !== "")
    content.push({ type: "text", text, ...(textSignature && { thought_signature: textSignature }) });
  const called = [...state.slots.values()].map((slot) => toolBlock(slot, inputs, reading.log));
  if (reading.structured === "text" && text !== "") state.metadata = objectIn(text, reading.log);
  const isRead = reading.structured === "first-tool" && inputs !== "empty";
  if (isRead || reading.structured === "tool") state.metadata = called.at(-1)?.input ?? state.metadata;
  return { content: [...content, ...called, ...state.calls], id, usage, metadata: state.metadata };
}

/** What is known at the end, a signature without thoughts too. Says nothing that the drafts before have said. */
function lastDraftOf(state: AnswerSoFar, reading: Reading, inputs: InputReading): Draft {
  const draft = draftOf(state, { ...reading, log: () => undefined }, inputs);
  const { thinking, signature } = state;
  if (thinking !== "" || !signature) return draft;
  return { ...draft, content: [{ type: "thinking", thinking, signature }, ...draft.content] };
}

export function audioBlock(data: string, media_type: string): Block {
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

/** The object that a whole text holds, repaired; says so where there is nothing to read. */
export function objectIn(text: string, log: Surroundings["log"]): Fields {
  const { value, found } = repairObject(text);
  if (found === "nothing") warnOfNothing(text, log);
  return value;
}

function warnOfNothing(text: string, log: Surroundings["log"]): void {
  const shown = firstCodePoints(text, 100);
  const cut = shown.length < text.length ? "..." : "";
  const message = `Failed to load JSON dict from string: ${shown}${cut}. Returning empty dict instead.`;
  log({ level: "warning", message });
}

/** What a call, or a piece of one, says in OpenAI's form; an empty `text` is one. */
export function calledOf(call: unknown): {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly text: string | undefined;
} {
  const { id, function: called } = fieldsOf(call);
  const { name, arguments: text } = fieldsOf(called);
  return { id: textIn(id), name: textIn(name), text: stringIn(text) };
}

/** The structured answer of a whole one that was given as a tool call. */
export function calledInput(content: readonly Block[], { structured }: Reading): Fields | undefined {
  if (structured !== "tool" && structured !== "first-tool") return undefined;
  const called = content.filter((block) => block.type === "tool_use");
  return called.at(structured === "tool" ? -1 : 0)?.input;
}

export interface CallTime {
  readonly startedMs: number;
  readonly surroundings: Surroundings;
}

/** Makes a stream's responses of drafts: independent copies, one id where the provider gives none, and one last response. */
export async function* streamResponses(
  drafts: Drafts,
  time: CallTime,
): AsyncGenerator<ChatResponse, void, void> {
  const ownId = generatedId(time.surroundings);
  try {
    let step = await drafts.next();
    while (step.done !== true) {
      yield responseOf(step.value, time, ownId);
      step = await drafts.next();
    }
    const { usage } = step.value;
    const metadata = usage?.raw ?? usage?.rawAtEnd;
    const last: Draft = { ...step.value, usage: usage && { ...usage, raw: metadata } };
    yield { ...responseOf(last, time, ownId), is_last: true };
  } finally {
    // Whoever leaves early ends the request.
    await drafts.return({ content: [] });
  }
}

export function responseOf(
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
