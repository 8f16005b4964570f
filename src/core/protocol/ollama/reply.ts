import {
  countIn,
  fieldsOf,
  isFields,
  jsonIn,
  jsonText,
  present,
  textIn,
  type Fields,
} from "../reading/lenient.ts";
import type { Message, Part, Projection, StreamRules, Usage } from "../protocol.ts";
import { failureMessage, readReply, unreadable, type Reply } from "../reading/reply.ts";

/** What a member of a reply says, e.g. `response`, and the parts that it makes when it is whole. */
export interface OllamaReading {
  /** Puts a chunk's members onto those before it. */
  readonly add: (open: Fields, chunk: Fields) => Fields;
  readonly partsOf: (whole: Fields) => Part[];
}

/**
 * Reads a reply of Ollama's own API: one JSON object, or a stream of them, a line each, which all look like the whole.
 * The last one says `done` and has the counts. Source: github.com/ollama/ollama/blob/main/docs/api.md, 2026-11.
 */
export function projectOllama(reply: Reply, { add, partsOf }: OllamaReading): Projection {
  const read = readReply(reply);
  if (read.kind === "text") return unreadable(read.text);
  const chunks = read.kind === "json" ? [read.value] : read.events.map(({ data }) => jsonIn(data));
  const errors = chunks.map(fieldsOf).filter((chunk) => chunk["error"]);
  const good = chunks.filter((chunk) => isFields(chunk) && !chunk["error"]).map(fieldsOf);
  const whole = good.reduce((open, chunk) => ({ ...open, ...chunk, ...add(open, chunk) }), {});
  const says = partsOf(whole);
  if (read.kind === "json" && errors.length === 0 && says.length === 0 && whole["done"] === undefined)
    return unreadable(jsonText(read.value));
  const messages: readonly Message[] = [
    ...(good.length > 0 ? [{ role: "assistant", parts: says }] : []),
    ...errors.map((chunk) => failureMessage(errorOf(chunk))),
  ];
  return present({
    messages,
    usage: usageFrom(whole),
    finishReason: textIn(whole["done_reason"]),
    model: textIn(whole["model"]),
    events: read.kind === "json" ? undefined : chunks.length,
  });
}

/** The text under `error`, with a code beside it where there is one. */
export function errorOf(chunk: Fields): unknown {
  const { error, code } = chunk;
  return typeof error === "string" && typeof code === "string" ? { message: error, code } : error;
}

export function usageFrom(whole: Fields): Usage | undefined {
  const inputTokens = countIn(whole["prompt_eval_count"]);
  const outputTokens = countIn(whole["eval_count"]);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return present({ inputTokens, outputTokens });
}

/** Texts that are written on from chunk to chunk. */
export function writtenOn(open: Fields, chunk: Fields, names: readonly string[]): Fields {
  const grown = names.flatMap((name) => {
    const text = `${textIn(open[name]) ?? ""}${textIn(chunk[name]) ?? ""}`;
    return text === "" ? [] : [[name, text] as const];
  });
  return Object.fromEntries(grown);
}

/** A stream ends with the line that says `done`; a failure on the way is a line with `error`. */
export const ollamaStream: StreamRules = {
  isTerminal: (line) => line.includes('"done"') && fieldsOf(jsonIn(line))["done"] === true,
  isError: (line) => line.includes('"error"') && Boolean(fieldsOf(jsonIn(line))["error"]),
  // Ollama writes `done` behind what is said.
  mayBeTerminal: () => true,
};
