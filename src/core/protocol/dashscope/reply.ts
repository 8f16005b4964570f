import {
  countIn,
  fieldsOf,
  inOrder,
  isFields,
  jsonIn,
  listOf,
  textIn,
  type Fields,
  jsonText,
} from "../base/lenient.ts";
import {
  textParts,
  functionCallPart,
  otherPart,
  partsOfContent,
  thinkingParts,
  toolResultPart,
} from "../base/parts.ts";
import { replyReader } from "../base/reply.ts";
import { usageIn } from "../base/usage.ts";
import type { Projection, Message, Part } from "../base/protocol.ts";
import { addTo } from "../../group-by.ts";
import { mediaAt } from "../base/media.ts";

export const projectGeneration = replyReader({
  failure: (fields) => isFailure(fields) && fields,
  whole: (fields) => (isFields(fields["output"]) ? projectOutput(fields) : undefined),
  stream(events) {
    const chunks = events.map(({ data }) => fieldsOf(jsonIn(data)));
    const read = projectOutput(assemble(chunks.filter((chunk) => !isFailure(chunk))));
    return { read, errors: chunks.filter(isFailure) };
  },
});

/** A failure has a code that says something. */
export function isFailure(fields: Fields): boolean {
  return textIn(fields["code"]) !== undefined && !isFields(fields["output"]);
}

function projectOutput(fields: Fields): Projection {
  const output = fieldsOf(fields["output"]);
  const choices = listOf(output["choices"]).map(fieldsOf);
  const text = { role: "assistant", parts: textParts(output["text"]) };
  const messages = choices.map((choice) => messageFrom(choice["message"], "assistant"));
  return {
    messages: messages.length > 0 ? messages : "text" in output ? [text] : [],
    usage: usageIn(fields["usage"], "dashscope"),
    finishReason: textIn([...new Set(reasonsIn([output, ...choices]))].join(", ")),
  };
}

/** Until the answer ends, its reason is the text "null". */
export function reasonsIn(outputs: readonly Fields[]): string[] {
  return outputs.flatMap(({ finish_reason: reason }) => (reason === "null" ? [] : (textIn(reason) ?? [])));
}

/**
 * A stream read to its end, in the shape of the reply that would have come without streaming. Unless a request asks
 * for `incremental_output`, each chunk says again all that was said before; the chunks themselves tell.
 */
function assemble(chunks: readonly Fields[]): Fields {
  const last = chunks.at(-1) ?? {};
  const outputs = chunks.map((chunk) => fieldsOf(chunk["output"]));
  const usage = chunks.findLast((chunk) => chunk["usage"])?.["usage"];
  const texts = outputs.flatMap((output) => (typeof output["text"] === "string" ? [output["text"]] : []));
  const choices = outputs.map((output) => listOf(output["choices"]).map(fieldsOf));
  const count = Math.max(0, ...choices.map((list) => list.length));
  const output = {
    ...(texts.length > 0 && { text: joinPieces(texts) }),
    finish_reason: reasonsIn(outputs).at(-1),
    choices: Array.from({ length: count }, (_, index) =>
      wholeChoice(choices.flatMap((list): readonly Fields[] => list.slice(index, index + 1))),
    ),
  };
  return { ...last, output, usage };
}

function wholeChoice(pieces: readonly Fields[]): Fields {
  const messages = pieces.map((piece) => fieldsOf(piece["message"]));
  const thoughts = messages.map((message) => textIn(message["reasoning_content"]) ?? "");
  const contents = messages.map((message) => message["content"]);
  return {
    finish_reason: reasonsIn(pieces).at(-1),
    message: {
      role: messages.flatMap((message) => textIn(message["role"]) ?? [])[0] ?? "assistant",
      reasoning_content: joinPieces(thoughts),
      content: joinPieces(contents.map(textOfContent)),
      tool_calls: wholeCalls(messages.map((message) => listOf(message["tool_calls"]).map(fieldsOf))),
    },
  };
}

function textOfContent(content: unknown): string {
  if (typeof content === "string") return content;
  return listOf(content)
    .map((part) => textIn(fieldsOf(part)["text"]) ?? "")
    .join("");
}

/** Where each piece begins with the one before it, the last says all; pieces of a text end with an empty one. */
function joinPieces(pieces: readonly string[]): string {
  const said = pieces.filter((piece) => piece !== "");
  const last = pieces.at(-1) ?? "";
  const repeats =
    last !== "" && said.every((piece, index) => index === 0 || piece.startsWith(said[index - 1] ?? ""));
  return repeats ? last : said.join("");
}

function wholeCalls(pieces: readonly (readonly Fields[])[]): Fields[] {
  const calls = new Map<number, Fields[]>();
  for (const list of pieces)
    for (const [place, call] of list.entries()) addTo(calls, countIn(call["index"]) ?? place, call);
  return inOrder(calls).map((list) => {
    const functions = list.map((call) => fieldsOf(call["function"]));
    return {
      id: list.flatMap((call) => textIn(call["id"]) ?? [])[0],
      type: "function",
      function: {
        name: joinPieces(functions.map((one) => textIn(one["name"]) ?? "")),
        arguments: joinPieces(functions.map((one) => textIn(one["arguments"]) ?? "")),
      },
    };
  });
}

/**
 * A message of DashScope's own API: texts, or a list of parts named by their one member.
 * Source: help.aliyun.com/zh/model-studio/qwen-api-via-dashscope, 2026-11.
 */
export function messageFrom(value: unknown, defaultRole: string): Message {
  const fields = fieldsOf(value);
  const role = textIn(fields["role"]) ?? defaultRole;
  const content = partsOfContent(fields["content"], contentParts);
  if (role === "tool") return { role, parts: [toolResultPart(fields, content, ["tool_call_id", "name"])] };
  const calls = listOf(fields["tool_calls"]).map((call) => functionCallPart(call));
  return { role, parts: [...thinkingParts(fields["reasoning_content"]), ...content, ...calls] };
}

function contentParts(value: unknown): Part[] {
  const fields = fieldsOf(value);
  if (typeof fields["text"] === "string") return textParts(fields["text"]);
  for (const media of ["image", "audio", "video", "file"] as const) {
    const places = Array.isArray(fields[media]) ? listOf(fields[media]) : [fields[media]];
    const urls = places.flatMap((place) => textIn(place) ?? []);
    if (urls.length > 0) return urls.map((url) => mediaAt(media, url));
  }
  const [kind = "content"] = Object.keys(fields);
  return [otherPart(textIn(fields["type"]) ?? kind, jsonText(value))];
}
