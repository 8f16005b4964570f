import type { Surroundings } from "../../client/surroundings.ts";
import { addTo } from "../../core/base/group-by.ts";
import { type Fields, readFields, readText, sortPieces } from "../../core/base/lenient.ts";
import {
  createChunkEvents,
  type PieceEvent,
  type ReplyEvent,
  type ToolCallEvent,
  type WireFamily,
} from "../../core/protocol/base/events.ts";
import {
  addArguments,
  type AnswerSoFar,
  type Counts,
  createAudioBlock,
  type Draft,
  type Drafts,
  createDraft,
  createEmptyAnswer,
  createLastDraft,
  parseObject,
  readCalledInput,
  type ReadOptions,
} from "./reading.ts";
import type { Block, ToolUseBlock } from "./response.ts";

/** How a provider's answers are read: as folds over the events of its wire family. */
export interface ProviderRules {
  readonly family: WireFamily;
  /** State before the first chunk of a stream. */
  readonly start?: Partial<AnswerSoFar>;
  /** Reads the counts that the provider reports after `before`. */
  readonly countsOf: (usage: Fields, before: Counts | undefined) => Counts | undefined;
  /** Reads a call that arrives complete; `earlier` is the number of calls before it. By default, calls arrive in pieces. */
  readonly callOf?: (event: ToolCallEvent, earlier: number, log: Surroundings["log"]) => ToolUseBlock;
  /** Reads what the events of a chunk do not contain. */
  readonly more?: (state: AnswerSoFar, chunk: Fields) => void;
  /**
   * Returns whether a chunk emits a response, after it was read: "silent" for none, "as-before" for the same content with
   * other usage. Default: it does if there is content.
   */
  readonly emits?: (state: AnswerSoFar, chunk: Fields) => "silent" | "as-before" | void;
  /** Whether a chunk without content emits a response. Default false. */
  readonly emitsEmpty?: (chunk: Fields) => boolean;
  /** Whether each text of a whole answer is a block, with the calls after all others. Default: by the part. */
  readonly separates?: true;
  /** Returns blocks of a whole answer that its events do not contain. They come first. */
  readonly readBlocks?: (answer: Fields) => readonly Block[];
  /** Whether these are all blocks except the calls, which can lack arguments. */
  readonly saysAll?: true;
  /** Prepares a whole answer to be read like the last chunk of a stream. */
  readonly prepare?: (answer: Fields) => Fields;
  /** Whether the inputs of a stream's calls have their text only in the last response. */
  readonly rawAtEnd?: true;
  /** Throws an error if an answer or a chunk reports a failure. */
  readonly expectAnswer?: (answer: Fields, isStreamed: boolean) => void;
}

/** Yields the answer so far after each chunk of a provider's stream. */
export async function* readStream(
  rules: ProviderRules,
  chunks: AsyncIterable<unknown>,
  reading: ReadOptions,
): Drafts {
  const { parseTools, log } = reading;
  const reader = rules.family.reader();
  const state = { ...createEmptyAnswer(), ...rules.start };
  const calls: ToolUseBlock[] = [];
  const take = (events: readonly ReplyEvent[]): void => {
    for (const event of events) takeEvent(state, event, { ...rules, calls, log });
  };
  let begun = false;
  for await (const one of chunks) {
    const chunk = readFields(one);
    rules.expectAnswer?.(chunk, true);
    take(reader.read(chunk));
    rules.more?.(state, chunk);
    const change = rules.emits?.(state, chunk);
    if (change === "silent") continue;
    begun = true;
    const quiet = change === "as-before" && parseTools ? "kept" : undefined;
    const draft = createDraft(state, reading, quiet ?? (parseTools ? "read" : "empty"));
    if (draft.content.length > 0 || rules.emitsEmpty?.(chunk) === true) yield draft;
  }
  if (rules.callOf) {
    take(reader.end?.() ?? []);
    state.calls = calls;
  }
  if (!parseTools && begun && state.slots.size > 0) yield createDraft(state, reading, "read");
  return createLastDraft(state, reading, begun ? "kept" : "read");
}

function takeEvent(
  state: AnswerSoFar,
  event: ReplyEvent,
  {
    countsOf,
    callOf,
    rawAtEnd,
    calls,
    log,
  }: ProviderRules & { readonly calls: ToolUseBlock[]; readonly log: Surroundings["log"] },
): void {
  if ("choice" in event && (event.choice ?? 0) !== 0) return;
  if (event.type === "start") state.id = event.id ?? state.id;
  if (event.type === "usage") state.usage = countsOf(event.usage, state.usage) ?? state.usage;
  if (event.type === "text" || event.type === "thinking") state[event.type] += event.text;
  const signature = event.type === "call" ? undefined : signatureOf(event);
  if (state.signature === undefined) state.textSignature = signature ?? state.textSignature;
  else state.signature = signature ?? state.signature;
  if (event.type === "audio") {
    state.audio += event.data ?? "";
    state.text += event.transcript ?? "";
  }
  if (event.type !== "call" || event.kind !== undefined) return;
  if (callOf) {
    const whole = callOf(event, calls.length, log);
    const { raw_input: _atEnd, ...block } = whole;
    calls.push(whole);
    state.calls.push(rawAtEnd ? block : whole);
    return;
  }
  const { id = "", name = "", arguments: text = "" } = event;
  const slot = state.slots.get(event.index);
  if (slot === undefined) state.slots.set(event.index, { id, name, raw: text });
  else addArguments(slot, text);
}

/** Returns the signature of a text, a thought, or a part of Gemini's. */
function signatureOf(event: ReplyEvent): string | undefined {
  if (event.type === "part") return readText(readFields(event.raw)["thoughtSignature"]);
  return event.type === "text" || event.type === "thinking" ? event.signature : undefined;
}

/** Reads a whole answer: a block for each part of the message, in order. */
export function readWhole(rules: ProviderRules, answer: Fields, reading: ReadOptions): Draft {
  rules.expectAnswer?.(answer, false);
  const { family, countsOf, separates } = rules;
  const prepared = rules.prepare?.(answer) ?? answer;
  const events = createChunkEvents(family, family.chunksOf(prepared, { status: 200 }) ?? [prepared]);
  const parts = new Map<number, PieceEvent[]>();
  let [id, usage, signature]: [string?, Counts?, string?] = [];
  for (const [position, event] of events.entries()) {
    if (event.type === "start") id = event.id ?? id;
    if (event.type === "usage" && Object.keys(event.usage).length > 0)
      usage = countsOf(event.usage, usage) ?? usage;
    if (!("index" in event) || (event.choice ?? 0) !== 0) continue;
    if (rules.saysAll && event.type !== "call") continue;
    if (event.type !== "call") signature = signatureOf(event) ?? signature;
    if ("isSilent" in event) continue;
    addTo(parts, separates ? (event.type === "call" ? AFTER_ALL : 0) + position : event.index, event);
  }
  const calls: ToolUseBlock[] = [];
  const content = [
    ...(rules.readBlocks?.(answer) ?? []),
    ...sortPieces(parts).flatMap((pieces) => blocksOf(pieces, rules, { calls, reading })),
  ];
  const texts = content.filter((block) => block.type === "text");
  const last = texts.at(-1);
  if (rules.start?.signature === undefined && last && signature) last.thought_signature = signature;
  if (reading.structured !== "text")
    return { content, id, usage, metadata: readCalledInput(content, reading) };
  const text = texts.map((block) => block.text).join("");
  return { content, id, usage, metadata: text === "" ? undefined : parseObject(text, reading.log) };
}

const AFTER_ALL = 1_000_000;

function blocksOf(
  pieces: readonly PieceEvent[],
  { start, callOf, saysAll }: ProviderRules,
  { calls, reading }: { readonly calls: ToolUseBlock[]; readonly reading: ReadOptions },
): Block[] {
  const [first] = pieces;
  const join = (name: string): string =>
    pieces.map((piece) => readText(readFields(piece)[name]) ?? "").join("");
  switch (first?.type) {
    case "text":
      return [{ type: "text", text: join("text") }];
    case "thinking": {
      const signed = start?.signature !== undefined && { signature: join("signature") };
      return [{ type: "thinking", thinking: join("text"), ...signed }];
    }
    case "audio": {
      const spoken = join("transcript");
      const audio = createAudioBlock(join("data"), `audio/${reading.audioFormat ?? "mp3"}`);
      return [audio, ...(spoken === "" ? [] : [{ type: "text" as const, text: spoken }])];
    }
    case "call": {
      if (first.kind !== undefined) return [];
      const [id, name, text] = [join("id"), join("name"), join("arguments")];
      const input = callOf || (saysAll && text === "") ? {} : parseObject(text, reading.log);
      const called = callOf
        ? callOf({ ...first, arguments: text }, calls.length, reading.log)
        : { type: "tool_use" as const, id, name, input };
      calls.push(called);
      return [called];
    }
    case "part":
    case "refusal":
    case undefined:
      break;
  }
  return [];
}
