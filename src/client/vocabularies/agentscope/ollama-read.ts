import {
  countIn,
  fieldsOf,
  isFields,
  listOf,
  textIn,
  type Fields,
} from "../../../core/protocol/reading/lenient.ts";
import { pythonAsciiJson } from "../../python/ascii-json.ts";
import { repairGrowingObject, repairObject, type JsonObject } from "../../json/repair-json.ts";
import type { Surroundings } from "../../surroundings.ts";
import type { Counts, Draft, Drafts } from "./drafts.ts";
import type { Block, ToolUseBlock } from "./response.ts";
import { wholeInput } from "./tool-calls.ts";

export interface OllamaReading {
  /** The structured answer is the text. */
  readonly structured: boolean;
  readonly log: Surroundings["log"];
}

/** The answers so far of a stream; usage is zero until the chunk that ends it, and `raw_input` comes last. */
export async function* readOllamaStream(chunks: AsyncIterable<unknown>, reading: OllamaReading): Drafts {
  let [thinking, text] = ["", ""];
  let usage: Counts = { input: 0, output: 0 };
  let metadata: JsonObject | undefined;
  const calls: ToolUseBlock[] = [];
  const draft = (blocks: readonly ToolUseBlock[]): Draft => {
    const content: Block[] = thinking === "" ? [] : [{ type: "thinking", thinking }];
    if (text !== "") content.push({ type: "text", text });
    if (reading.structured && text !== "") metadata = repairGrowingObject(text, metadata).value;
    return { content: [...content, ...blocks], usage, metadata };
  };
  for await (const one of chunks) {
    const chunk = fieldsOf(one);
    const message = fieldsOf(chunk["message"]);
    thinking += textIn(message["thinking"]) ?? "";
    text += textIn(message["content"]) ?? "";
    for (const call of listOf(message["tool_calls"])) calls.push(toolCall(call, calls.length, reading.log));
    if (chunk["done"] === true) usage = countsOf(chunk) ?? usage;
    const now = draft(calls.map(({ raw_input: _atTheEnd, ...block }) => block));
    if (now.content.length > 0 || chunk["done"] === true) yield now;
  }
  return draft(calls);
}

/** One answer that came whole. */
export function readOllama(answer: unknown, reading: OllamaReading): Draft {
  const fields = fieldsOf(answer);
  const message = fieldsOf(fields["message"]);
  const [thinking, text] = [textIn(message["thinking"]), textIn(message["content"])];
  const content: Block[] = thinking === undefined ? [] : [{ type: "thinking", thinking }];
  if (text !== undefined) content.push({ type: "text", text });
  for (const [index, call] of listOf(message["tool_calls"]).entries())
    content.push(toolCall(call, index, reading.log));
  const metadata = reading.structured ? repairObject(text ?? "").value : undefined;
  return { content, usage: countsOf(fields), metadata };
}

/** Ollama gives no id: the number of the call in the whole answer and its name are one. */
function toolCall(call: unknown, index: number, log: Surroundings["log"]): ToolUseBlock {
  const { name: given, arguments: args } = fieldsOf(fieldsOf(call)["function"]);
  const name = textIn(given) ?? "";
  const input = typeof args === "string" ? wholeInput(args, log) : fieldsOf(args);
  const raw_input =
    typeof args === "string" ? args : pythonAsciiJson(isFields(args) ? args : {}, "arguments");
  return { type: "tool_use", id: `${index}_${name}`, name, input, raw_input };
}

function countsOf(answer: Fields): Counts | undefined {
  const input = countIn(answer["prompt_eval_count"]);
  const output = countIn(answer["eval_count"]);
  if (input === undefined || output === undefined) return undefined;
  const { message: _said, ...rawAtEnd } = answer;
  return { input, output, rawAtEnd };
}
