import type { SseEvent } from "../../../wire/sse.ts";
import { countIn, fieldsOf, isFields, jsonIn, listOf, textIn, type Fields } from "../../reading/lenient.ts";
import { errorIn } from "../chat/stream.ts";

/** Puts the chunks of a stream of completions together: the texts of one index are one choice. */
export function assemble(events: readonly SseEvent[]): {
  readonly completion: Fields;
  readonly errors: readonly unknown[];
} {
  const choices = new Map<number, Fields>();
  const errors: unknown[] = [];
  let completion: Fields = {};
  for (const { data } of events) {
    const error = errorIn(data);
    if (error !== undefined) errors.push(error);
    const chunk = fieldsOf(jsonIn(data));
    const usage = isFields(chunk["usage"]) ? chunk["usage"] : completion["usage"];
    completion = { ...completion, ...(textIn(chunk["model"]) && { model: chunk["model"] }), usage };
    for (const choice of listOf(chunk["choices"]).map(fieldsOf)) {
      const index = countIn(choice["index"]) ?? 0;
      const known = choices.get(index) ?? {};
      const text = (textIn(known["text"]) ?? "") + (textIn(choice["text"]) ?? "");
      choices.set(index, { text, finish_reason: choice["finish_reason"] ?? known["finish_reason"] });
    }
  }
  const inOrder = [...choices.entries()].sort(([a], [b]) => a - b).map(([, choice]) => choice);
  return { completion: { ...completion, choices: inOrder }, errors };
}
