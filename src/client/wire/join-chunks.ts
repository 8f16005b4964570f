import { chunksOf } from "./completions.ts";
import { type Fields, fieldsOf, listOf } from "../../core/protocol/reading/lenient.ts";
import { stringIn } from "../json/plain.ts";

/** A streamed answer as the completion that it is a stream of: texts joined, tool calls merged by their index. */
export async function joinChunks(answer: unknown): Promise<Fields> {
  const calls = new Map<number, { id: string | null; name: string; arguments: string }>();
  let content: string | null = null;
  let reason: string | null = null;
  let usage: unknown;
  let isAnswered = false;
  for await (const chunk of chunksOf(answer)) {
    usage = fieldsOf(chunk)["usage"] ?? usage;
    const [choice] = listOf(fieldsOf(chunk)["choices"]);
    if (choice === undefined) continue;
    isAnswered = true;
    reason = stringIn(fieldsOf(choice)["finish_reason"]) ?? reason;
    const delta = fieldsOf(fieldsOf(choice)["delta"]);
    const piece = stringIn(delta["content"]);
    if (piece !== undefined) content = (content ?? "") + piece;
    for (const [place, call] of listOf(delta["tool_calls"]).entries()) mergeCall(calls, call, place);
  }
  if (!isAnswered) return { choices: [], ...(usage !== undefined && { usage }) };
  const toolCalls = [...calls]
    .sort(([a], [b]) => a - b)
    .map(([, { id, name, arguments: args }]) => ({
      id,
      type: "function",
      function: { name, arguments: args },
    }));
  const message = { role: "assistant", content, ...(toolCalls.length > 0 && { tool_calls: toolCalls }) };
  return { choices: [{ message, finish_reason: reason }], ...(usage !== undefined && { usage }) };
}

function mergeCall(
  calls: Map<number, { id: string | null; name: string; arguments: string }>,
  call: unknown,
  place: number,
): void {
  const { index, id, function: called } = fieldsOf(call);
  const { name, arguments: args } = fieldsOf(called);
  const at = typeof index === "number" ? index : place;
  const known = calls.get(at) ?? { id: null, name: "", arguments: "" };
  calls.set(at, {
    id: known.id ?? stringIn(id) ?? null,
    name: known.name || (stringIn(name) ?? ""),
    arguments: known.arguments + (stringIn(args) ?? ""),
  });
}
