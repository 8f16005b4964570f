import {
  countIn,
  fieldsOf,
  isFields,
  listOf,
  textIn,
  type Fields,
} from "../../../core/protocol/reading/lenient.ts";
import { createCallJoiner } from "../../adapters/gemini/partial-calls.ts";
import { pythonJson } from "../../python/json.ts";
import { repairGrowingObject, repairObject, type JsonObject } from "../../json/repair-json.ts";
import type { Counts, Draft, Drafts } from "./drafts.ts";
import type { Block, TextBlock, ToolUseBlock } from "./response.ts";

/** The answers so far of a stream of Gemini's chunks; every chunk tells, also an empty one. */
export async function* readGeminiStream(chunks: AsyncIterable<unknown>, structured: boolean): Drafts {
  let [id, thinking, text, signature] = [
    undefined as string | undefined,
    "",
    "",
    undefined as string | undefined,
  ];
  let usage: Counts | undefined;
  let metadata: JsonObject | undefined;
  const calls: ToolUseBlock[] = [];
  const joiner = createCallJoiner();
  const draft = (): Draft => {
    const content: Block[] = [];
    if (thinking !== "") content.push({ type: "thinking", thinking });
    if (text !== "" || signature !== undefined)
      content.push({ type: "text", text, ...(signature !== undefined && { thought_signature: signature }) });
    if (structured && text !== "") metadata = repairGrowingObject(text, metadata).value;
    return { content: [...content, ...calls], id, usage, metadata };
  };
  for await (const one of chunks) {
    const chunk = fieldsOf(one);
    id = textIn(chunk["responseId"]) ?? id;
    usage = countsOf(chunk["usageMetadata"]) ?? usage;
    for (const part of partsOf(chunk).flatMap((piece) => joiner.take(piece))) {
      const call = toolCall(part, calls.length);
      if (call !== undefined) calls.push(call);
      else if (part["thought"] === true) thinking += textIn(part["text"]) ?? "";
      else {
        text += textIn(part["text"]) ?? "";
        signature = textIn(part["thoughtSignature"]) ?? signature;
      }
    }
    yield draft();
  }
  for (const part of joiner.rest()) {
    const call = toolCall(part, calls.length);
    if (call !== undefined) calls.push(call);
  }
  return draft();
}

/** One answer that came whole: texts and thoughts apart and in order, tool calls after them. */
export function readGemini(answer: unknown, structured: boolean): Draft {
  const fields = fieldsOf(answer);
  const said: Block[] = [];
  const calls: ToolUseBlock[] = [];
  let text: TextBlock | undefined;
  for (const part of partsOf(fields)) {
    const call = toolCall(part, calls.length);
    const spoken = textIn(part["text"]);
    const signature = textIn(part["thoughtSignature"]);
    if (call !== undefined) calls.push(call);
    else if (part["thought"] === true && spoken !== undefined)
      said.push({ type: "thinking", thinking: spoken });
    else if (spoken !== undefined) said.push((text = { type: "text", text: spoken }));
    if (call === undefined && signature !== undefined) {
      if (text === undefined) said.push((text = { type: "text", text: "" }));
      text.thought_signature = signature;
    }
  }
  const whole = said.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
  return {
    content: [...said, ...calls],
    id: textIn(fields["responseId"]),
    usage: countsOf(fields["usageMetadata"]),
    metadata: structured ? repairObject(whole).value : undefined,
  };
}

function partsOf(answer: Fields): readonly Fields[] {
  const [candidate] = listOf(answer["candidates"]);
  return listOf(fieldsOf(fieldsOf(candidate)["content"])["parts"]).map(fieldsOf);
}

/** Its id is the signature, which has to come back with the result; else the one given; else its number. */
function toolCall(part: Fields, earlier: number): ToolUseBlock | undefined {
  const call = part["functionCall"];
  if (!isFields(call)) return undefined;
  const signature = textIn(part["thoughtSignature"]);
  const input = fieldsOf(call["args"]);
  return {
    type: "tool_use",
    id: signature ?? textIn(call["id"]) ?? `call_${earlier}`,
    name: textIn(call["name"]) ?? "",
    input,
    raw_input: pythonJson(input, "arguments"),
    ...(signature !== undefined && { thought_signature: signature }),
  };
}

/** Output is all that is not the prompt, so thinking is in it. */
function countsOf(usage: unknown): Counts | undefined {
  const fields = fieldsOf(usage);
  const input = countIn(fields["promptTokenCount"]);
  const total = countIn(fields["totalTokenCount"]);
  if (input === undefined || total === undefined) return undefined;
  return { input, output: total - input, rawAtEnd: usage };
}
