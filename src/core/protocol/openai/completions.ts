import { member, type JsonObject } from "../../base/json/json-tree.ts";
import type { SseEvent } from "../../base/wire/sse.ts";
import { composedChunks, composedJson, finishOf, piecesOf } from "../base/composed.ts";
import { operationFrom } from "../base/operation.ts";
import type { Composed, ConversationMessage, Projection, Protocol, ReplyDraft } from "../base/protocol.ts";
import {
  countIn,
  fieldsOf,
  inOrder,
  isFields,
  jsonIn,
  listOf,
  textIn,
  type Fields,
} from "../../base/lenient.ts";
import { textPart, textParts } from "../base/parts.ts";
import { isWholeJson, reasonsOf, replyReader, type StreamReading } from "../base/reply.ts";
import { plural } from "../../base/plural.ts";
import { factsWith, objectWithModel, shortLabel, textAt, valueAt } from "../base/request.ts";
import { allBut } from "../base/settings.ts";
import { usageIn } from "../base/usage.ts";
import { countsStream, usageOf } from "./chat/protocol.ts";
import { errorIn, givenUpText, openaiChatStream } from "./chat/stream.ts";

/**
 * OpenAI's older completions of a prompt, which many servers of open models speak. Streams end as those of chats do.
 * A prompt may be left out. Source: platform.openai.com/docs/api-reference/completions, 2026-11.
 */
export const openaiCompletions: Protocol = operationFrom({
  operation: "completions",
  // Chats, Mistral's agents and its filling in of code end alike and mean something else.
  path: /(?<!\/(?:chat|fim|agents))\/completions$/,
  body: objectWithModel("A completion"),
  facts: (body) => factsWith(body, labelOf(valueAt(body, "prompt"))),
  messages: (body) => promptTexts(valueAt(body, "prompt")).map(userMessage),
  settings: allBut("model", "prompt", "stream"),
  project: replyReader({
    whole: (fields) => (Array.isArray(fields["choices"]) ? projectChoices(fields) : undefined),
    stream: assemble,
  }),
  stream: openaiChatStream,
  compose,
  isWhole: (body) => isWholeJson(body) && givenUpText(body) === undefined,
  unfinished: givenUpText,
});

function labelOf(prompt: unknown): string {
  const texts = typeof prompt === "string" ? [prompt] : listOf(prompt);
  const last = texts.findLast((text) => typeof text === "string" && text.trim() !== "");
  return typeof last === "string" ? shortLabel(last) : `completion of ${plural(texts.length, "prompt")}`;
}

/** A text, several, or tokens of one or several. */
function promptTexts(prompt: unknown): string[] {
  if (typeof prompt === "string") return [prompt];
  const list = listOf(prompt);
  if (list.length === 0) return [];
  if (list.every((one) => typeof one === "number")) return [plural(list.length, "token")];
  return list.map((one) => (typeof one === "string" ? one : plural(listOf(one).length, "token")));
}

const userMessage = (text: string): ConversationMessage => ({ role: "user", parts: [textPart(text)] });

function projectChoices(fields: Fields): Projection {
  const choices = listOf(fields["choices"]).map(fieldsOf);
  return {
    messages: choices.map(({ text }) => ({ role: "assistant", parts: textParts(text) })),
    usage: usageIn(fields["usage"], "chat"),
    finishReason: reasonsOf(choices),
    model: textIn(fields["model"]),
  };
}

/** Puts the chunks of a stream together: the texts of one index are one choice. */
function assemble(events: readonly SseEvent[]): StreamReading {
  const choices = new Map<number, Fields>();
  let whole: Fields = {};
  for (const { data } of events) {
    const chunk = fieldsOf(jsonIn(data));
    const usage = isFields(chunk["usage"]) ? chunk["usage"] : whole["usage"];
    whole = { model: textIn(chunk["model"]) ?? whole["model"], usage };
    for (const choice of listOf(chunk["choices"]).map(fieldsOf)) {
      const index = countIn(choice["index"]) ?? 0;
      const known = choices.get(index) ?? {};
      const text = (textIn(known["text"]) ?? "") + (textIn(choice["text"]) ?? "");
      choices.set(index, { text, finish_reason: choice["finish_reason"] ?? known["finish_reason"] });
    }
  }
  return {
    read: projectChoices({ ...whole, choices: inOrder(choices) }),
    errors: events.flatMap(({ data }) => errorIn(data) ?? []),
  };
}

function compose(draft: ReplyDraft, body: JsonObject): Composed {
  const { text } = draft;
  const usage = usageOf(draft);
  const finish = finishOf(draft, FINISHES);
  const head = {
    id: "cmpl-tapedeck",
    object: "text_completion",
    created: 0,
    model: textAt(body, "model") ?? "",
  };
  const choice = (said: string, finish_reason: string | null): object => ({
    ...head,
    choices: [{ index: 0, text: said, logprobs: null, finish_reason }],
  });
  if (member(body, "stream") !== true) return composedJson({ ...choice(text, finish), usage });
  return composedChunks([
    ...piecesOf(draft).map((line) => choice(line, null)),
    choice("", finish),
    ...(countsStream(body) ? [{ ...head, choices: [], usage }] : []),
  ]);
}

const FINISHES = { stop: "stop", length: "length", "content-filter": "content_filter", "tool-calls": "stop" };
