import { isJsonObject, member, type JsonObject } from "../../json/json-tree.ts";
import { bytesOf } from "../../wire/text.ts";
import { composedJson, type Composed } from "../composed.ts";
import type { Conversation } from "../protocol.ts";
import { settingsOf } from "../reading/settings.ts";

/** Ollama streams unless it is told not to. */
export function streams(body: JsonObject): boolean {
  return member(body, "stream") !== false;
}

/** Members of `options` stand beside the others, where other providers have them. */
export function ollamaSettings(body: JsonObject, shown: readonly string[]): Conversation["settings"] {
  const options = member(body, "options");
  return [
    ...settingsOf(body, [...shown, "model", "stream", "options"]),
    ...(options !== undefined && isJsonObject(options) ? settingsOf(options, []) : []),
  ];
}

/** Nothing was spent. */
const DONE = { done: true, done_reason: "stop", total_duration: 0, prompt_eval_count: 0, eval_count: 0 };

/** A reply of chunks that each say something, the last one `done`. `says` puts a text into the operation's member. */
export function composeOllama(
  body: JsonObject,
  texts: readonly string[],
  says: (text: string) => object,
): Composed {
  const model = member(body, "model");
  const head = { model: typeof model === "string" ? model : "", created_at: "1970-01-01T00:00:00Z" };
  if (!streams(body)) return composedJson({ ...head, ...says(texts.join("")), ...DONE });
  const chunks = [
    ...texts.map((text) => ({ ...head, ...says(text), done: false })),
    { ...head, ...says(""), ...DONE },
  ];
  return {
    contentType: "application/x-ndjson",
    body: bytesOf(chunks.map((chunk) => `${JSON.stringify(chunk)}\n`).join("")),
  };
}
