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
} from "../../reading/lenient.ts";
import { citationParts } from "../../reading/parts.ts";
import { failureMessage, reasonsOf, replyReader, type StreamReading } from "../../reading/reply.ts";
import { usageIn } from "../../reading/usage.ts";
import type { Projection } from "../../protocol.ts";
import { messageFrom } from "./message.ts";
import { errorIn, errorOf } from "./stream.ts";

export const projectChat = replyReader({
  failure: () => undefined,
  whole(fields) {
    const error = errorOf(fields);
    if (error !== undefined) return { ...projectChoices(fields), messages: [failureMessage(error)] };
    return Array.isArray(fields["choices"]) ? projectChoices(fields) : undefined;
  },
  stream: assemble,
});

function projectChoices(fields: Fields): Projection {
  const choices = listOf(fields["choices"]).map(fieldsOf);
  // xAI names the pages that an answer is based on beside its choices (docs.x.ai/docs/guides/live-search, 2026-11).
  const cited = citationParts(fields["citations"]);
  return {
    messages: choices.map((choice) => {
      const { role, parts } = messageFrom(choice["message"], "assistant");
      return { role, parts: [...parts, ...cited] };
    }),
    usage: usageIn(fields["usage"], "chat"),
    finishReason: reasonsOf(choices),
    model: textIn(fields["model"]),
  };
}

interface ToolCall {
  id?: string | undefined;
  name: string;
  arguments: string;
  readonly kind: "function" | "custom";
}

interface Choice {
  role?: string | undefined;
  finishReason?: string | undefined;
  readonly texts: Record<string, string>;
  /** Content parts, where a provider streams lists instead of texts (Mistral's thinking). */
  readonly parts: unknown[];
  /** Pictures (OpenRouter). */
  readonly images: unknown[];
  /** By index: tools that the provider called by itself, as far as was told last (Groq). */
  readonly executed: Map<number, unknown>;
  /** By index; the calls of one index follow each other where a provider gives all of them the same. */
  readonly calls: ToolCall[];
  readonly open: Map<number, ToolCall>;
}

/** A stream in the shape of the completion that would have come without streaming. What is not a chunk is passed over. */
function assemble(events: readonly SseEvent[]): StreamReading {
  const choices = new Map<number, Choice>();
  const errors: unknown[] = [];
  let model: string | undefined;
  let usage: unknown;
  let citations: unknown;
  for (const event of events) {
    const error = errorIn(event.data);
    if (error !== undefined) errors.push(error);
    const chunk = fieldsOf(jsonIn(event.data));
    model = textIn(chunk["model"]) ?? model;
    // Groq reports usage in a member of its own.
    const counted = chunk["usage"] ?? fieldsOf(chunk["x_groq"])["usage"];
    if (isFields(counted)) usage = counted;
    citations = chunk["citations"] ?? citations;
    for (const choice of listOf(chunk["choices"]).map(fieldsOf)) {
      const index = countIn(choice["index"]) ?? 0;
      const known = choices.get(index) ?? newChoice();
      choices.set(index, known);
      addTo(known, choice);
    }
  }
  const whole = { choices: inOrder(choices).map(wholeChoice), usage, model, citations };
  return { read: projectChoices(whole), errors };
}

/** Texts of a delta that are written on from chunk to chunk. */
const TEXTS = ["content", "reasoning_content", "reasoning", "refusal"];

function newChoice(): Choice {
  return { texts: {}, parts: [], images: [], executed: new Map(), calls: [], open: new Map() };
}

function addTo(choice: Choice, chunk: Fields): void {
  const delta = fieldsOf(chunk["delta"]);
  choice.role = textIn(delta["role"]) ?? choice.role ?? "assistant";
  choice.finishReason = textIn(chunk["finish_reason"]) ?? choice.finishReason;
  for (const name of TEXTS) {
    const more = textIn(delta[name]);
    if (more !== undefined) choice.texts[name] = (choice.texts[name] ?? "") + more;
  }
  addParts(choice, listOf(delta["content"]));
  choice.images.push(...listOf(delta["images"]));
  for (const tool of listOf(delta["executed_tools"]).map(fieldsOf))
    choice.executed.set(countIn(tool["index"]) ?? 0, tool);
  const audio = textIn(fieldsOf(delta["audio"])["transcript"]);
  if (audio !== undefined) choice.texts["transcript"] = (choice.texts["transcript"] ?? "") + audio;
  for (const call of listOf(delta["tool_calls"])) addCall(choice, fieldsOf(call));
  if (isFields(delta["function_call"])) addCall(choice, { index: -1, function: delta["function_call"] });
}

/** Parts of one kind that follow each other are one part in pieces. */
function addParts(choice: Choice, parts: readonly unknown[]): void {
  for (const part of parts.map(fieldsOf)) {
    const last = fieldsOf(choice.parts.at(-1));
    const joined = last["type"] === part["type"] ? joinParts(last, part) : undefined;
    if (joined === undefined) choice.parts.push(part);
    else choice.parts.splice(-1, 1, joined);
  }
}

function joinParts(first: Fields, second: Fields): Fields | undefined {
  if (typeof first["text"] === "string" && typeof second["text"] === "string")
    return { ...first, text: first["text"] + second["text"] };
  if (Array.isArray(first["thinking"]) && Array.isArray(second["thinking"]))
    return { ...first, thinking: [...first["thinking"], ...second["thinking"]] };
  return undefined;
}

function addCall(choice: Choice, piece: Fields): void {
  const index = countIn(piece["index"]) ?? 0;
  const id = textIn(piece["id"]);
  const kind = isFields(piece["custom"]) ? "custom" : "function";
  const called = fieldsOf(piece[kind]);
  const known = choice.open.get(index);
  // Some compatible servers give every parallel call the index 0; their ids tell them apart.
  const another = known === undefined || (id !== undefined && known.id !== undefined && id !== known.id);
  const call: ToolCall = another ? { name: "", arguments: "", kind } : known;
  if (another) choice.calls.push(call);
  choice.open.set(index, call);
  call.id = id ?? call.id;
  call.name = textIn(called["name"]) ?? call.name;
  call.arguments += textIn(called["arguments"]) ?? textIn(called["input"]) ?? "";
}

function wholeChoice(choice: Choice): Fields {
  const { content, transcript, ...texts } = choice.texts;
  const said = [...choice.parts, ...(content !== undefined && choice.parts.length > 0 ? [content] : [])];
  const old = choice.open.get(-1);
  const message = {
    role: choice.role,
    ...texts,
    content: said.length > 0 ? said : content,
    images: choice.images,
    executed_tools: [...choice.executed.values()],
    audio: { transcript },
    tool_calls: choice.calls.filter((call) => call !== old).map(wholeCall),
    ...(old && { function_call: { name: old.name, arguments: old.arguments } }),
  };
  return { message, finish_reason: choice.finishReason };
}

function wholeCall({ id, name, arguments: given, kind }: ToolCall): Fields {
  return { id, type: kind, [kind]: kind === "custom" ? { name, input: given } : { name, arguments: given } };
}
