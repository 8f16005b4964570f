import type { WireHeaders } from "../../call/call.ts";
import { pickDefined } from "../../base/pick-defined.ts";
import { encodeUtf8 } from "../../base/wire/text.ts";
import { JSON_TYPE, type FoundExchange } from "./found.ts";

/** A call and its answer in a fixture of any provider. */
export interface FixtureCall {
  readonly model: string;
  readonly user: string;
  readonly streamed: boolean;
  readonly text: string | null;
  readonly thinking: string | undefined;
  readonly calls: readonly FixtureToolCall[];
  readonly finish: string | undefined;
  /** JSON text of an object. */
  readonly usage: string | undefined;
  /** ISO 8601. */
  readonly at: string;
  /** Members of the answer's envelope. */
  readonly envelope: { readonly id?: string; readonly created?: number; readonly model?: string };
}

export interface FixtureToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

type Wire = Pick<FoundExchange, "request" | "reply">;

/** Composers of the simplest call of a provider. Calls of other providers need more than a fixture contains. */
export const WIRES: Readonly<Record<string, (fixture: FixtureCall) => Wire>> = {
  openai: openaiChat,
  gemini: geminiContent,
  ollama: ollamaChat,
};

function openaiChat(fixture: FixtureCall): Wire {
  const { model, user, streamed, usage } = fixture;
  const body = {
    model,
    messages: [{ role: "user", content: user }],
    ...(streamed && { stream: true }),
    ...(streamed && usage !== undefined && { stream_options: { include_usage: true } }),
  };
  const url = "https://api.openai.com/v1/chat/completions";
  return { request: postRequest(url, body), reply: streamed ? openaiEvents(fixture) : openaiWhole(fixture) };
}

function openaiMessage({ text, thinking, calls }: FixtureCall) {
  return {
    role: "assistant",
    content: text,
    ...pickDefined({ reasoning_content: thinking }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, arguments: given }) => ({
        id,
        type: "function",
        function: { name, arguments: given },
      })),
    }),
  };
}

/** Composes the envelope of an answer, with neutral values for members that the fixture lacks. */
function openaiHead({ envelope, model }: FixtureCall, object: string): object {
  return {
    id: envelope.id ?? "chatcmpl-imported",
    object,
    created: envelope.created ?? 0,
    model: envelope.model ?? model,
  };
}

function openaiFinish({ finish, calls }: FixtureCall): string {
  return finish ?? (calls.length > 0 ? "tool_calls" : "stop");
}

function openaiWhole(fixture: FixtureCall): Wire["reply"] {
  const choice = { index: 0, message: openaiMessage(fixture), finish_reason: openaiFinish(fixture) };
  return okReply(
    [JSON_TYPE],
    withUsage({ ...openaiHead(fixture, "chat.completion"), choices: [choice] }, fixture),
  );
}

function openaiEvents(fixture: FixtureCall): Wire["reply"] {
  const head = openaiHead(fixture, "chat.completion.chunk");
  const { tool_calls: calls, ...first } = openaiMessage(fixture);
  const delta = { ...first, ...(calls && { tool_calls: calls.map((one, index) => ({ index, ...one })) }) };
  const chunks = [
    JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: null }] }),
    JSON.stringify({ ...head, choices: [{ index: 0, delta: {}, finish_reason: openaiFinish(fixture) }] }),
    ...(fixture.usage === undefined ? [] : [withUsage({ ...head, choices: [] }, fixture)]),
  ];
  return events([...chunks, "[DONE]"]);
}

function withUsage(value: object, { usage }: FixtureCall): string {
  const text = JSON.stringify(value);
  return usage === undefined ? text : `${text.slice(0, -1)},"usage":${usage}}`;
}

function geminiContent(fixture: FixtureCall): Wire {
  const { model, user, streamed, text, thinking, calls } = fixture;
  const parts = [
    ...(thinking === undefined ? [] : [{ text: thinking, thought: true }]),
    ...(text === null ? [] : [{ text }]),
    ...calls.map(({ name, arguments: given }) => ({ functionCall: { name, args: tryParse(given) } })),
  ];
  const content = { candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }] };
  const reply = JSON.stringify({ ...content, modelVersion: model });
  const operation = streamed ? "streamGenerateContent?alt=sse" : "generateContent";
  const url = `https://generativelanguage.googleapis.com/v1beta/models/${encodeURIComponent(model)}:${operation}`;
  return {
    request: postRequest(url, { contents: [{ role: "user", parts: [{ text: user }] }] }),
    reply: streamed ? events([reply]) : okReply([JSON_TYPE], reply),
  };
}

function ollamaChat(fixture: FixtureCall): Wire {
  const { model, user, streamed, text, thinking, calls, at } = fixture;
  const message = {
    role: "assistant",
    content: text ?? "",
    ...pickDefined({ thinking }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ name, arguments: given }) => ({
        function: { name, arguments: tryParse(given) },
      })),
    }),
  };
  const head = { model, created_at: at };
  const end = { done: true, done_reason: "stop" };
  const lines = [
    { ...head, message, done: false },
    { ...head, message: { role: "assistant", content: "" }, ...end },
  ];
  const body = { model, messages: [{ role: "user", content: user }], stream: streamed };
  return {
    request: postRequest("http://127.0.0.1:11434/api/chat", body),
    reply: streamed
      ? okReply(
          [["content-type", "application/x-ndjson"]],
          lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
        )
      : okReply([JSON_TYPE], JSON.stringify({ ...head, message, ...end })),
  };
}

function tryParse(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return {};
  }
}

function postRequest(url: string, body: object): Wire["request"] {
  return { method: "POST", url, headers: [JSON_TYPE], body: encodeUtf8(JSON.stringify(body)) };
}

function events(all: readonly string[]): Wire["reply"] {
  return okReply([["content-type", "text/event-stream"]], all.map((data) => `data: ${data}\n\n`).join(""));
}

function okReply(headers: WireHeaders, body: string): Wire["reply"] {
  return { status: 200, headers, body: encodeUtf8(body) };
}
