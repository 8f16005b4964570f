import type { WireCall } from "./conversations.ts";

const QUESTION = "Where is my order A-1042?";
const ANSWER = "It ships Friday.";
const GIVEN = { id: "A-1042" };
const FOUND = '{"status":"shipped"}';

function chat(): readonly [WireCall, WireCall] {
  const call = {
    id: "c1",
    type: "function",
    function: { name: "look_up_order", arguments: '{"id": "A-1042"}' },
  };
  const asked = [{ role: "user", content: QUESTION }];
  // As the SDK for Python sends it back: without the content, arguments written anew.
  const again = {
    role: "assistant",
    tool_calls: [{ ...call, function: { name: "look_up_order", arguments: JSON.stringify(GIVEN) } }],
  };
  const reply = (message: unknown): unknown => ({ choices: [{ index: 0, message, finish_reason: "stop" }] });
  return [
    {
      ask: { model: "m", messages: asked },
      reply: reply({ role: "assistant", content: "", tool_calls: [call] }),
    },
    {
      ask: { model: "m", messages: [...asked, again, { role: "tool", tool_call_id: "c1", content: FOUND }] },
      reply: reply({ role: "assistant", content: ANSWER }),
    },
  ];
}

const ITEM = {
  type: "function_call",
  id: "fc1",
  call_id: "c1",
  name: "look_up_order",
  arguments: JSON.stringify(GIVEN),
};
const OUTPUT = { type: "function_call_output", call_id: "c1", output: FOUND };
const SAID = { type: "message", role: "assistant", content: [{ type: "output_text", text: ANSWER }] };

function responsesById(): readonly [WireCall, WireCall] {
  const path = "/v1/responses";
  const created = { type: "response.created", response: { id: "resp_1", output: [] } };
  const done = {
    type: "response.completed",
    response: { id: "resp_1", status: "completed", output: [ITEM] },
  };
  return [
    {
      path,
      ask: { model: "m", input: QUESTION, stream: true },
      reply: [created, done]
        .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
        .join(""),
      contentType: "text/event-stream",
    },
    {
      path,
      ask: { model: "m", previous_response_id: "resp_1", input: [OUTPUT] },
      reply: { id: "resp_2", status: "completed", output: [SAID] },
    },
  ];
}

function openaiConversation(): readonly [WireCall, WireCall] {
  const path = "/v1/responses";
  return [
    {
      path,
      ask: { model: "m", conversation: "conv_1", input: QUESTION },
      reply: { id: "r1", output: [ITEM] },
    },
    {
      path,
      ask: { model: "m", conversation: { id: "conv_1" }, input: [OUTPUT] },
      reply: { id: "r2", output: [SAID] },
    },
  ];
}

function messages(): readonly [WireCall, WireCall] {
  const place = { provider: "anthropic", path: "/v1/messages" };
  const thought = { type: "thinking", thinking: "An order.", signature: "s" };
  const call = { type: "tool_use", id: "t1", name: "look_up_order", input: GIVEN };
  const asked = { role: "user", content: QUESTION };
  const result = { type: "tool_result", tool_use_id: "t1", content: FOUND };
  const ask = { model: "m", max_tokens: 9, system: "Be brief." };
  return [
    {
      ...place,
      ask: { ...ask, messages: [asked] },
      reply: { type: "message", role: "assistant", content: [thought, call] },
    },
    {
      ...place,
      ask: {
        ...ask,
        messages: [asked, { role: "assistant", content: [call] }, { role: "user", content: [result] }],
      },
      reply: { type: "message", role: "assistant", content: [{ type: "text", text: ANSWER }] },
    },
  ];
}

function gemini(): readonly [WireCall, WireCall] {
  const place = { provider: "gemini", path: "/v1beta/models/gemini-3:generateContent" };
  const asked = { role: "user", parts: [{ text: QUESTION }] };
  const called = { role: "model", parts: [{ functionCall: { name: "look_up_order", args: GIVEN } }] };
  const result = {
    role: "user",
    parts: [{ functionResponse: { name: "look_up_order", response: { status: "shipped" } } }],
  };
  const reply = (content: unknown): unknown => ({ candidates: [{ content, finishReason: "STOP" }] });
  return [
    { ...place, ask: { contents: [asked] }, reply: reply(called) },
    {
      ...place,
      ask: { contents: [asked, called, result] },
      reply: reply({ role: "model", parts: [{ text: ANSWER }] }),
    },
  ];
}

export const FAMILIES: Readonly<Record<string, readonly [WireCall, WireCall]>> = {
  "OpenAI's chat": chat(),
  "OpenAI's responses by id": responsesById(),
  "a conversation that OpenAI holds": openaiConversation(),
  "Anthropic's messages": messages(),
  Gemini: gemini(),
};
