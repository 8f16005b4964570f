import { DASHSCOPE_RESOURCES } from "../../../src/core/protocol/table/stored.ts";
import { fixtureMakers } from "./fixtures.ts";
import { times, type GeneratedCall, type Makers } from "./place.ts";
import { rowMakers } from "./rows.ts";
import type { Voice } from "./voice.ts";
import { eventsReply, jsonReply, jsonRequest, linesReply, PLAIN, type MadeReply } from "./wire.ts";

const MODEL = "corpus-barn-1";
const DONE = {
  done: true,
  done_reason: "stop",
  total_duration: 9,
  prompt_eval_count: 11,
  eval_count: 7,
};

interface Answer {
  readonly content: string;
  readonly thinking?: string;
  readonly tool_calls?: readonly object[];
}

function answer(voice: Voice, index: number): Answer {
  const called = { function: { name: "read_tide", arguments: voice.values() } };
  return {
    content: voice.text(),
    ...(index % 3 === 1 && { tool_calls: [called] }),
    ...(index % 3 === 2 && { thinking: voice.text() }),
  };
}

const head = { model: MODEL, created_at: "2026-11-01T00:00:00Z" };

/** A line for each piece; the last one has the counts. Every other stream ends without the end of its last line. */
function lines(voice: Voice, index: number): MadeReply {
  const { content, thinking = "", tool_calls } = answer(voice, index);
  const chunk = (message: object): object => ({
    ...head,
    message: { role: "assistant", ...message },
    done: false,
  });
  return linesReply(
    [
      ...voice.pieces(thinking).map((piece) => chunk({ content: "", thinking: piece })),
      ...voice.pieces(content).map((piece) => chunk({ content: piece })),
      ...(tool_calls === undefined ? [] : [chunk({ content: "", tool_calls })]),
      { ...head, message: { role: "assistant", content: "" }, ...DONE },
    ],
    "application/x-ndjson",
    index % 2 === 0,
  );
}

/** Ollama's own API. Formats: github.com/ollama/ollama/blob/main/docs/api.md. */
export const ollamaMakers: Makers = {
  ...fixtureMakers("ollama", ""),
  chat: ({ voice, most }) =>
    times(most * 2, (index): GeneratedCall => {
      const stream = index % 2 === 1;
      const body = {
        model: MODEL,
        messages: [
          { role: "system", content: voice.sentence() },
          { role: "user", content: voice.text() },
        ],
        ...(!stream && { stream: false }),
        options: { temperature: 0.5 },
      };
      const whole = { ...head, message: { role: "assistant", ...answer(voice, index) }, ...DONE };
      return {
        name: `${stream ? "stream" : "whole"}-${index}`,
        request: jsonRequest("/api/chat", body),
        reply: stream ? lines(voice, index >> 1) : jsonReply(whole),
      };
    }),
};

const QWEN = "corpus-qwen-1";

/** DashScope streams where a header asks for it. */
const ENABLED = { "x-dashscope-sse": "enable" };

function generation(kind: Generated["kind"], streams: boolean): Makers[string] {
  return ({ base, voice }) =>
    times(streams ? 3 : 2, (index): GeneratedCall => {
      // The last variant repeats the previous text with each chunk.
      const repeats = index === 2;
      const asked = voice.text();
      const content =
        kind === "multimodal" ? [{ image: "https://pictures.example/q.png" }, { text: asked }] : asked;
      const service =
        kind === "app" ? "apps/corpus-app/completion" : `services/aigc/${kind}-generation/generation`;
      const request = jsonRequest(`${base}/${service}`, {
        ...(kind !== "app" && { model: QWEN }),
        input: kind === "app" ? { prompt: asked } : { messages: [{ role: "user", content }] },
        parameters: { result_format: "message", ...(streams && { incremental_output: !repeats }) },
      });
      const said = { text: voice.text(), calls: index === 1 ? voice.values() : undefined };
      return {
        name: `${streams ? "stream" : "whole"}-${index}`,
        request: streams ? { ...request, headers: ENABLED } : request,
        reply: streams
          ? generated(voice, { ...said, repeats, kind })
          : jsonReply(output(kind, said.text, "stop", callsIn(said.calls))),
      };
    });
}

function output(
  kind: Generated["kind"],
  text: string,
  finish_reason: string,
  tool_calls?: readonly object[],
): object {
  if (kind === "app") {
    const usage = { models: [{ model_id: QWEN, input_tokens: 11, output_tokens: 7 }] };
    return { output: { text, finish_reason, session_id: "corpus" }, usage, request_id: "corpus" };
  }
  const content = kind === "text" ? text : [{ text }];
  const message = { role: "assistant", content, ...(tool_calls && { tool_calls }) };
  return {
    output: { choices: [{ finish_reason, message }] },
    usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18 },
    request_id: "corpus",
  };
}

function callsIn(values: object | undefined): readonly object[] | undefined {
  if (values === undefined) return undefined;
  const called = { name: "read_tide", arguments: JSON.stringify(values) };
  return [{ index: 0, id: "call_1", type: "function", function: called }];
}

interface Generated {
  readonly text: string;
  readonly calls: object | undefined;
  readonly repeats: boolean;
  readonly kind: "text" | "multimodal" | "app";
}

/** Each event has a number, a name, and a comment with its status. */
function generated(voice: Voice, { text, calls, repeats, kind }: Generated): MadeReply {
  const pieces = voice.pieces(text);
  const told = repeats ? pieces.map((_, at) => pieces.slice(0, at + 1).join("")) : pieces;
  const chunks = [
    ...told.map((piece) => output(kind, piece, "null")),
    output(kind, repeats ? text : "", calls ? "tool_calls" : "stop", callsIn(calls)),
  ];
  const framed = eventsReply(
    chunks.map((data) => ({ event: "result", data })),
    { ...PLAIN, blank: false, numbered: true, contentType: "text/event-stream;charset=UTF-8" },
  );
  const withStatus = new TextDecoder()
    .decode(framed.body)
    .replaceAll("event:result\n", "event:result\n:HTTP_STATUS/200\n");
  return { ...framed, body: new TextEncoder().encode(withStatus) };
}

/** DashScope's own API. Formats: help.aliyun.com/zh/model-studio/qwen-api-via-dashscope. */
export const dashscopeMakers: Makers = {
  ...rowMakers(DASHSCOPE_RESOURCES),
  "text-generation": generation("text", false),
  "text-generation.stream": generation("text", true),
  "multimodal-generation": generation("multimodal", false),
  "multimodal-generation.stream": generation("multimodal", true),
  "apps.complete": generation("app", false),
  "apps.complete.stream": generation("app", true),
};
