import {
  readCount,
  readFields,
  sortPieces,
  isFields,
  readList,
  readText,
  type Fields,
  stringifyJson,
} from "../../base/lenient.ts";
import {
  createTextParts,
  createFunctionCallPart,
  createOtherPart,
  readContentParts,
  createThinkingParts,
  createToolResultPart,
} from "../base/parts.ts";
import type { EventReader, ReplyEvent, ViewedFamily } from "../base/events.ts";
import type { ConversationMessage, ConversationPart } from "../base/protocol.ts";
import { createMediaAt } from "../base/media.ts";

/** Generations of DashScope's native API. Chunks of a stream contain only new text, or repeat earlier text. */
export const DASHSCOPE_FAMILY: ViewedFamily = {
  usage: "dashscope",
  reader: createGenerationReader,
  chunksOf: (fields) => (isFields(fields["output"]) || isFailed(fields) ? [fields] : undefined),
  whole: (chunks) => [...omitRepeats(chunks.filter((chunk) => !isFailed(chunk))), ...chunks.filter(isFailed)],
};

/** Whether a chunk reports a failure. Clients of DashScope add the status to each chunk. */
const isFailed = (chunk: Fields): boolean =>
  isFailure(chunk) || (readCount(chunk["status_code"]) ?? 200) >= 400;

const PLACE = { thinking: 0, text: 1, calls: 2 };

/** A call whose ID and name may arrive in pieces, so it is emitted at the end of the stream. */
interface Call {
  id: string;
  name: string;
  text: string;
}

function createGenerationReader(): EventReader {
  /** By choice, then by index on the wire, or by order if there is none. */
  const calls = new Map<number, Map<number, Call>>();
  return {
    read(chunk, name) {
      if (name === "error" || isFailed(chunk)) return [{ type: "error", error: chunk }];
      const output = readFields(chunk["output"]);
      const choices = readList(output["choices"]).map(readFields);
      const usage = usageIn(chunk);
      const text =
        choices.length === 0 && "text" in output ? [{ ...output, message: { content: output["text"] } }] : [];
      const reason = reasonsIn([output]).at(-1);
      return [
        { type: "start", id: readText(chunk["request_id"]), model: modelIn(chunk) },
        ...(usage === undefined ? [] : [{ type: "usage" as const, usage }]),
        ...[...choices, ...text].flatMap((one, choice) => choiceEvents(one, choice, calls)),
        ...(reason === undefined ? [] : [{ type: "finish" as const, choice: OUTPUT, reason }]),
      ];
    },
    end: () =>
      [...calls].flatMap(([choice, some]) =>
        sortPieces(some).map(({ id, name, text }, number) => ({
          type: "call" as const,
          choice,
          index: PLACE.calls + number,
          id,
          name,
          arguments: text,
        })),
      ),
  };
}

/** Apps report the tokens of each model that they call. */
function usageIn({ usage }: Fields): Fields | undefined {
  if (!isFields(usage)) return undefined;
  const models = readList(usage["models"]).map(readFields);
  const sum = (name: string): number =>
    models.reduce((total, model) => total + (readCount(model[name]) ?? 0), 0);
  return models.length === 0
    ? usage
    : { input_tokens: sum("input_tokens"), output_tokens: sum("output_tokens"), ...usage };
}

const modelIn = ({ usage }: Fields): string | undefined =>
  readText(readFields(readList(readFields(usage)["models"])[0])["model_id"]);

/** Choice number for the finish reason of the whole output, which sorts before the choices. */
const OUTPUT = -1;

function choiceEvents(
  one: Fields,
  choice: number,
  calls: Map<number, Map<number, Call>>,
): readonly ReplyEvent[] {
  const message = readFields(one["message"]);
  const thinking = readText(message["reasoning_content"]);
  const reason = reasonsIn([one]).at(-1);
  const open = calls.get(choice) ?? new Map<number, Call>();
  for (const piece of readList(message["tool_calls"])) takeCall(open, readFields(piece));
  if (open.size > 0) calls.set(choice, open);
  const parts = readContentParts(message["content"], contentParts);
  return [
    { type: "message", choice, role: readText(message["role"]) },
    ...(thinking === undefined
      ? []
      : [{ type: "thinking" as const, choice, index: PLACE.thinking, text: thinking }]),
    ...parts.map((part, at): ReplyEvent =>
      part.type === "text"
        ? { type: "text", choice, index: PLACE.text, text: part.text }
        : { type: "part", choice, index: PLACE.text + (at + 1) / 1000, parts: [part], raw: part },
    ),
    ...(reason === undefined ? [] : [{ type: "finish" as const, choice, reason }]),
  ];
}

function takeCall(calls: Map<number, Call>, piece: Fields): void {
  const { name, arguments: text } = readFields(piece["function"]);
  const id = readText(piece["id"]) ?? "";
  const index = readCount(piece["index"]) ?? (id === "" ? Math.max(0, calls.size - 1) : calls.size);
  const call = calls.get(index) ?? { id: "", name: "", text: "" };
  if (id !== call.id) call.id += id;
  call.name += readText(name) ?? "";
  call.text += readText(text) ?? "";
  calls.set(index, call);
}

/** A failure has a code that is not empty, and no output. */
function isFailure(fields: Fields): boolean {
  return readText(fields["code"]) !== undefined && !isFields(fields["output"]);
}

/** Until the answer ends, its reason is the text "null". */
function reasonsIn(outputs: readonly Fields[]): string[] {
  return outputs.flatMap(({ finish_reason: reason }) => (reason === "null" ? [] : (readText(reason) ?? [])));
}

/**
 * Leaves out chunks whose text the next one repeats. Unless a request asks for `incremental_output`, each chunk repeats all
 * earlier text, which is detected from the chunks.
 */
function omitRepeats(chunks: readonly Fields[]): readonly Fields[] {
  const texts = chunks.map(textOfChunk).filter((text) => text !== "");
  const repeats =
    texts.length > 1 && texts.every((text, at) => at === 0 || text.startsWith(texts[at - 1] ?? ""));
  return repeats ? chunks.slice(-1) : chunks;
}

/** Returns the texts of a chunk and the arguments of its tool calls. */
function textOfChunk(chunk: Fields): string {
  const { text, choices } = readFields(chunk["output"]);
  const choiceTexts = readList(choices).flatMap((choice) => {
    const { content, tool_calls: calls } = readFields(readFields(choice)["message"]);
    const called = readList(calls).map((call) => readFields(readFields(call)["function"])["arguments"]);
    return [content, ...called];
  });
  return [text, ...choiceTexts].map(textOfContent).join("");
}

function textOfContent(content: unknown): string {
  if (typeof content === "string") return content;
  return readList(content)
    .map((part) => readText(readFields(part)["text"]) ?? "")
    .join("");
}

/**
 * Reads a message of DashScope's native API: a text, or a list of parts whose single member is their kind.
 * Source: help.aliyun.com/zh/model-studio/qwen-api-via-dashscope, 2026-11.
 */
export function readDashscopeMessage(value: unknown, defaultRole: string): ConversationMessage {
  const fields = readFields(value);
  const role = readText(fields["role"]) ?? defaultRole;
  const content = readContentParts(fields["content"], contentParts);
  if (role === "tool")
    return { role, parts: [createToolResultPart(fields, content, ["tool_call_id", "name"])] };
  const calls = readList(fields["tool_calls"]).map((call) => createFunctionCallPart(call));
  return { role, parts: [...createThinkingParts(fields["reasoning_content"]), ...content, ...calls] };
}

function contentParts(value: unknown): ConversationPart[] {
  const fields = readFields(value);
  if (typeof fields["text"] === "string") return createTextParts(fields["text"]);
  for (const media of ["image", "audio", "video", "file"] as const) {
    const places = Array.isArray(fields[media]) ? readList(fields[media]) : [fields[media]];
    const urls = places.flatMap((place) => readText(place) ?? []);
    if (urls.length > 0) return urls.map((url) => createMediaAt(media, url));
  }
  const [kind = "content"] = Object.keys(fields);
  return [createOtherPart(readText(fields["type"]) ?? kind, stringifyJson(value))];
}
