import { assistant, system, toolResult, user } from "../../../src/client/make-message.ts";
import type { MediaSource, Message, Part } from "../../../src/client/message.ts";
import type { ChatRequest, ChatSettings, ThinkingEffort } from "../../../src/client/request.ts";
import type { ToolChoice, ToolDefinition } from "../../../src/client/tool.ts";

const messages = [user("Hi")];
const set = (settings: ChatSettings): ChatRequest => ({ messages, settings });
const say = (...said: Message[]): ChatRequest => ({ messages: said });
const ask = (...parts: Part[]): ChatRequest => say({ role: "user", parts });

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const weather: ToolDefinition = { name: "weather", description: "How it is", parameters, strict: true };
const bare: ToolDefinition = { name: "now" };
const choose = (toolChoice: ToolChoice, settings: ChatSettings = {}): ChatRequest => ({
  messages,
  tools: [weather, bare],
  toolChoice,
  settings,
});
const schema = { ...parameters, $schema: "https://json-schema.org/draft/2020-12/schema" };

const URL_OF: MediaSource = { kind: "url", url: "https://example.com/a.png" };
const DATA_URL: MediaSource = { kind: "url", url: "data:image/png;base64,aGk=" };
const base64 = (mediaType: string): MediaSource => ({ kind: "base64", mediaType, data: "aGk=" });
const PNG: MediaSource = { kind: "base64", mediaType: "image/png", data: "iVBORw0KGgo=" };
const HELD: MediaSource = { kind: "id", id: "file-1" };

const call = (id: string, name = "weather", written = '{"city":"Rome"}'): Part => ({
  type: "tool-call",
  id,
  name,
  arguments: written,
});

/** Extra fields for each provider, by its name. */
const EXTRAS = {
  anthropic: { cache_control: { type: "ephemeral" } },
  openai: { x: 1 },
  gemini: { y: 2 },
  ollama: { z: 3 },
  dashscope: { w: 4 },
};
const thought = (text: string, field: unknown): Part => ({
  type: "thinking",
  text,
  extras: { openai: { field }, anthropic: { redacted: 5 } },
});

/** Requests by descriptive name: everything that the core's vocabulary can express. */
export const REQUESTS: Readonly<Record<string, ChatRequest>> = {
  "a question": { messages },
  "a model that sees": { messages },
  "a model that thinks": say(user("The weather?"), assistant(call("c1")), toolResult("c1", "sunny")),
  "a longest answer": set({ maxOutputTokens: 100 }),
  "a temperature": set({ temperature: 0.5 }),
  "the likeliest tokens": set({ topP: 0.9 }),
  "a token limit": set({ topK: 40 }),
  "the least likely": set({ minP: 0.1 }),
  "a penalty on frequency": set({ frequencyPenalty: 0.2 }),
  "a penalty on presence": set({ presencePenalty: 0.3 }),
  "a penalty on repetition": set({ repetitionPenalty: 1.1 }),
  "where to stop": set({ stop: ["END", "STOP"] }),
  "a seed": set({ seed: 7 }),
  "fields of the provider": set({ extra: { top_logprobs: 2, model: "other" } }),
  ...Object.fromEntries(
    (["off", "low", "medium", "high", "xhigh", "max"] satisfies ThinkingEffort[]).map((thinking) => [
      `thinking: ${thinking}`,
      set({ thinking }),
    ]),
  ),
  "thinking: a token budget": set({ thinking: { budgetTokens: 2000 } }),
  "thinking: no tokens": set({ thinking: { budgetTokens: 0 } }),
  "thinking: more than the answer": set({ thinking: { budgetTokens: 2000 }, maxOutputTokens: 2000 }),
  "thinking: an effort beyond the answer": set({ maxOutputTokens: 1000, thinking: "high" }),
  "thinking: within the answer": set({ thinking: { budgetTokens: 2000 }, maxOutputTokens: 2001 }),
  "thinking: none, and a longest answer": set({ thinking: "off", maxOutputTokens: 100 }),
  "thinking, and a structured answer": { messages, output: { schema }, settings: { thinking: "low" } },
  tools: { messages, tools: [weather, bare] },
  "a choice: auto": choose("auto"),
  "a choice: none": choose("none"),
  "a choice: required": choose("required"),
  "a choice: one": choose({ tool: "now" }),
  "tools one after the other": { messages, tools: [bare], settings: { parallelToolCalls: false } },
  "tools side by side": { messages, tools: [bare], settings: { parallelToolCalls: true } },
  "one after the other, without tools": set({ parallelToolCalls: false }),
  "a choice: none, one after the other": choose("none", { parallelToolCalls: false }),
  "a choice: one, one after the other": choose({ tool: "now" }, { parallelToolCalls: false }),
  "a structured answer": { messages, output: { schema } },
  "a structured answer with a name": {
    messages,
    output: { schema, name: "place", description: "Where", strict: true },
  },
  "a structured answer, not strict": { messages, output: { schema, strict: false } },
  "a structured answer, and tools": { messages, output: { schema }, tools: [bare] },
  "a structured answer, and no tool": { messages, output: { schema }, toolChoice: "none" },
  "a result without its name": say(user("a"), toolResult("c9", "x")),
  "a structured answer, and a choice": { messages, output: { schema }, tools: [], toolChoice: "required" },
  "system messages first": say(system("Be brief."), system("Be kind."), user("Hi")),
  "a system message with extras": say(
    {
      role: "system",
      parts: [
        { type: "text", text: "Cached.", extras: { anthropic: { cache_control: { type: "ephemeral" } } } },
      ],
    },
    user("Hi"),
  ),
  "a system message later": say(user("Hi"), system("Be brief."), user("Well?")),
  "system messages alone": say(system("Be brief.")),
  "names of speakers": say({ role: "user", parts: [{ type: "text", text: "Hi" }], name: "ann" }),
  "two texts": ask({ type: "text", text: "a" }, { type: "text", text: "b" }),
  "an image by its address": ask(
    { type: "text", text: "a" },
    { type: "image", source: URL_OF, detail: "low" },
  ),
  "an image in an address": ask({ type: "image", source: DATA_URL }),
  "an image as base64": ask({ type: "image", source: base64("image/jpeg") }, { type: "text", text: "b" }),
  "an image that is held": ask({ type: "image", source: HELD }),
  "a sound": ask({ type: "audio", source: base64("audio/wav") }),
  "a sound of another kind": ask({ type: "audio", source: base64("audio/mpeg") }),
  "a sound by its address": ask({ type: "audio", source: { kind: "url", url: "https://example.com/a.mp3" } }),
  "a sound that is held": ask({ type: "audio", source: HELD }),
  "a film": ask({ type: "video", source: base64("video/mp4") }),
  "a film by its address": ask({ type: "video", source: { kind: "url", url: "https://example.com/a.mp4" } }),
  "a document": ask({ type: "file", source: base64("application/pdf"), name: "a.pdf" }),
  "a document without a name": ask({ type: "file", source: base64("application/pdf") }),
  "a document of text": ask({ type: "file", source: base64("text/plain"), name: "a.txt" }),
  "a document by its address": ask({
    type: "file",
    source: { kind: "url", url: "https://example.com/a.pdf" },
  }),
  "a document that is held": ask({ type: "file", source: HELD, name: "a.pdf" }),
  "tool calls and their results": say(
    user("The weather?"),
    { role: "assistant", parts: [{ type: "text", text: "I look." }, call("c1"), call("c2", "now", "")] },
    toolResult("c1", "sunny"),
    toolResult("c2", "noon", "now"),
    assistant("It is sunny."),
    user("And?"),
  ),
  "results with text beside them": say(user("The weather?"), assistant(call("c1")), {
    role: "user",
    parts: [
      { type: "text", text: "Here:" },
      { type: "tool-result", callId: "c1", content: "sunny" },
      { type: "text", text: "Well?" },
    ],
  }),
  "a result in pieces": say(
    user("The weather?"),
    assistant(call("c1")),
    toolResult("c1", [
      { type: "text", text: "sun" },
      { type: "text", text: "ny" },
    ]),
  ),
  "a result with an image": say(
    user("The weather?"),
    assistant(call("c1")),
    toolResult("c1", [{ type: "image", source: base64("image/png") }]),
  ),
  "a result that is a fault": say(user("The weather?"), assistant(call("c1")), {
    role: "tool",
    parts: [{ type: "tool-result", callId: "c1", content: "no", isError: true }],
  }),
  "a result that is none": say(user("The weather?"), assistant(call("c1")), {
    role: "tool",
    parts: [{ type: "tool-result", callId: "c1", content: "yes", isError: false }],
  }),
  "a result as JSON": say(user("The weather?"), assistant(call("c1")), toolResult("c1", '{"sky":"blue"}')),
  "arguments that are not JSON": say(
    user("The weather?"),
    assistant(call("c1", "weather", "{")),
    toolResult("c1", "x"),
  ),
  "a call without an id": say(user("The weather?"), assistant(call("")), toolResult("", "sunny", "weather")),
  thoughts: say(user("Hi"), {
    role: "assistant",
    parts: [
      { type: "thinking", text: "hm", signature: "c2ln" },
      { type: "text", text: "Well." },
    ],
  }),
  "thoughts without a signature": say(user("Hi"), {
    role: "assistant",
    parts: [
      { type: "thinking", text: "hm" },
      { type: "text", text: "Well." },
    ],
  }),
  "thoughts alone": say(user("Hi"), assistant({ type: "thinking", text: "hm" }), user("Well?")),
  "thoughts that are sealed": say(user("Hi"), {
    role: "assistant",
    parts: [
      {
        type: "thinking",
        text: "",
        signature: "c2VhbGVk",
        extras: { anthropic: { redacted: "c2VhbGVk" }, openai: { id: "rs_1" } },
      },
      { type: "text", text: "Well.", signature: "c2ln" },
    ],
  }),
  "a call with a signature": say(
    user("Hi"),
    assistant({ type: "tool-call", id: "c1", name: "now", arguments: "{}", signature: "c2ln" }),
    toolResult("c1", "noon"),
  ),
  "turns of one role": say(user("a"), user("b"), assistant("c"), assistant("d"), user("e")),
  "extras of messages and parts": say({
    role: "user",
    parts: [
      {
        type: "text",
        text: "a",
        extras: {
          anthropic: { cache_control: { type: "ephemeral" } },
          openai: { x: 1 },
          gemini: { y: 2 },
          ollama: { z: 3 },
          dashscope: { w: 4 },
        },
      },
    ],
    extras: {
      anthropic: { a: 1 },
      openai: { b: 2 },
      gemini: { c: 3 },
      ollama: { d: 4 },
      dashscope: { e: 5 },
    },
  }),
  "extras of calls and their results": say(
    user("The weather?"),
    assistant({ ...call("c1"), extras: EXTRAS }),
    { role: "tool", parts: [{ type: "tool-result", callId: "c1", content: "sunny", extras: EXTRAS }] },
  ),
  "a text of the assistant with extras": say(user("Hi"), {
    role: "assistant",
    parts: [{ type: "text", text: "Well.", extras: EXTRAS }],
    name: "bob",
    extras: EXTRAS,
  }),
  "thoughts in the fields in which they came": say(user("Hi"), {
    role: "assistant",
    parts: [
      thought("h", "reasoning"),
      thought("m", "reasoning"),
      thought("!", "reasoning_content"),
      thought("?", 5),
      { type: "text", text: "a", extras: { openai: { field: "no" } } },
      { type: "text", text: "b" },
    ],
  }),
  "audio from the assistant": say(user("Hi"), {
    role: "assistant",
    parts: [
      { type: "audio", source: base64("audio/wav"), transcript: "Well.", extras: { openai: { id: "a1" } } },
    ],
  }),
  "a sound of the assistant without an id": say(user("Hi"), {
    role: "assistant",
    parts: [{ type: "audio", source: base64("audio/wav"), extras: { openai: { id: 5 } } }],
  }),
  "a picture that the assistant gave": say(user("Hi"), {
    role: "assistant",
    parts: [
      { type: "text", text: "Here:" },
      { type: "image", source: base64("image/png") },
    ],
  }),
  "a picture that the assistant gave first": say(user("Hi"), {
    role: "assistant",
    parts: [{ type: "image", source: base64("image/png") }],
  }),
  "a picture beside a result": say(user("The weather?"), assistant(call("c1")), {
    role: "user",
    parts: [
      { type: "tool-result", callId: "c1", content: "sunny" },
      { type: "image", source: base64("image/png") },
    ],
  }),
  "texts and pictures as a result": say(
    user("The weather?"),
    assistant(call("c1")),
    toolResult("c1", [
      { type: "text", text: "sun" },
      { type: "text", text: "ny" },
      { type: "image", source: URL_OF },
      { type: "image", source: HELD },
    ]),
  ),
  "turns with results in between": say(
    user("The weather?"),
    assistant([call("c1"), call("call_1")]),
    toolResult("c1", "sunny"),
    user("And?"),
    toolResult("call_1", "noon"),
    toolResult("call_x1", "late", "now"),
  ),
  "a call of a kind that is OpenAI's own": say(
    user("The weather?"),
    assistant([{ ...call("c1"), extras: { openai: { type: "custom_tool_call" } } }, call("c2")]),
    toolResult("c1", "sunny"),
    toolResult("c2", "noon"),
  ),
  "media with extras": ask({ type: "image", source: PNG, extras: EXTRAS }, { type: "text", text: "a" }),
  "thoughts of the user": ask({ type: "thinking", text: "hm" }, { type: "text", text: "a" }),
  "a call of the user": ask(call("c1"), { type: "text", text: "a" }),
  ...Object.fromEntries(
    [
      "data:image/png,a%20b",
      "data:image/png;charset=utf-8,%C3%A4",
      "data:image/png;a=1;base64,aGk=",
      "data:,a",
      "data:image/png;base64,",
      "https://example.com/A.JPG?x=1",
      "https://example.com/a.webp#f",
      "https://example.com/a.unknown",
      "https://example.com/a",
    ].map((url) => [`an image at ${url}`, ask({ type: "image", source: { kind: "url", url } })]),
  ),
  ...Object.fromEntries(
    ["audio/wave", "audio/x-wav", "audio/vnd.wave", "audio/ogg;codecs=opus"].map((type) => [
      `a sound of the type ${type}`,
      ask({ type: "audio", source: base64(type) }),
    ]),
  ),
  "a sound in an address": ask({
    type: "audio",
    source: { kind: "url", url: "data:audio/mpeg;base64,aGk=" },
  }),
  "a document in an address": ask({ type: "file", source: { kind: "url", url: "data:text/csv,a%2Cb" } }),
  "a film that is held": ask({ type: "video", source: HELD }),
};
