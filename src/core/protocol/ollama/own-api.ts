import { member, type JsonObject } from "../../json/json-tree.ts";
import { composedJson, composedLines, finishOf, piecesOf, spentIn } from "../composed.ts";
import type {
  Composed,
  Conversation,
  Part,
  Protocol,
  ReplyDraft,
  RequestFacts,
  StreamRules,
} from "../protocol.ts";
import { fieldsOf, isFields, jsonIn, jsonText, textIn, type Fields } from "../reading/lenient.ts";
import { failureMessage, readReply, unreadable } from "../reading/reply.ts";
import { factsWith, textAt } from "../reading/request.ts";
import { settingsOf } from "../reading/settings.ts";
import { usageIn } from "../reading/usage.ts";

/** The facts of a request: Ollama streams unless it is told not to. */
export function ollamaFacts(body: JsonObject, label: string): RequestFacts {
  return { ...factsWith(body, label), streaming: streams(body) };
}

const streams = (body: JsonObject): boolean => member(body, "stream") !== false;

/** Members of `options` stand beside the others, where other providers have them. */
export function ollamaSettings(...shown: readonly string[]): (body: JsonObject) => Conversation["settings"] {
  return (body) => [
    ...settingsOf(body, [...shown, "model", "stream", "options"]),
    ...settingsOf(member(body, "options")),
  ];
}

/** What a member of a reply says, e.g. `response`, and the parts that it makes when it is whole. */
export interface OllamaReading {
  /** Puts a chunk's members onto those before it. */
  readonly add: (open: Fields, chunk: Fields) => Fields;
  readonly partsOf: (whole: Fields) => Part[];
}

/**
 * Reads replies of Ollama's own API: one JSON object, or a stream of them, a line each, which all look like the whole.
 * The last one says `done` and has the counts. Source: github.com/ollama/ollama/blob/main/docs/api.md, 2026-11.
 */
export function ollamaReader({ add, partsOf }: OllamaReading): Protocol["project"] {
  return (reply) => {
    const read = readReply(reply);
    if (read.kind === "text") return unreadable(read.text);
    const chunks = read.kind === "json" ? [read.value] : read.events.map(({ data }) => jsonIn(data));
    const errors = chunks.map(fieldsOf).filter((chunk) => chunk["error"]);
    const good = chunks.filter(isFields).filter((chunk) => !chunk["error"]);
    const whole = good.reduce((open, chunk) => ({ ...open, ...chunk, ...add(open, chunk) }), {});
    const parts = partsOf(whole);
    if (read.kind === "json" && errors.length === 0 && parts.length === 0 && whole["done"] === undefined)
      return unreadable(jsonText(read.value));
    return {
      messages: [
        ...(good.length > 0 ? [{ role: "assistant", parts }] : []),
        ...errors.map((chunk) => failureMessage(errorOf(chunk))),
      ],
      usage: usageIn(whole, "ollama"),
      finishReason: textIn(whole["done_reason"]),
      model: textIn(whole["model"]),
      events: read.kind === "json" ? undefined : chunks.length,
    };
  };
}

/** The text under `error`, with a code beside it where there is one. */
export function errorOf({ error, code }: Fields): unknown {
  return typeof error === "string" && typeof code === "string" ? { message: error, code } : error;
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

const FINISHED = { stop: "stop", length: "length", "content-filter": "stop", "tool-calls": "stop" };

function endOf(draft: ReplyDraft): object {
  const { input, output } = spentIn(draft);
  const counts = { total_duration: 0, prompt_eval_count: input, eval_count: output };
  return { done: true, done_reason: finishOf(draft, FINISHED), ...counts };
}

/**
 * Makes replies of chunks that each say something, the last one `done`. `says` puts a text and what else the draft has
 * into the operation's member.
 */
export function ollamaComposer(
  says: (text: string, draft?: ReplyDraft) => object,
): (draft: ReplyDraft, body: JsonObject) => Composed {
  return (draft, body) => {
    const head = { model: textAt(body, "model") ?? "", created_at: "1970-01-01T00:00:00Z" };
    if (!streams(body)) return composedJson({ ...head, ...says(draft.text, draft), ...endOf(draft) });
    const lines = piecesOf(draft).map((piece) => ({ ...head, ...says(piece), done: false }));
    return composedLines(
      [...lines, { ...head, ...says("", draft), ...endOf(draft) }],
      "application/x-ndjson",
    );
  };
}
