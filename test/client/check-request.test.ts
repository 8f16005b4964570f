import { expect, test } from "vitest";
import { z } from "zod";
import {
  assistant,
  checkRequest,
  fixedClient,
  isChatError,
  user,
  type ChatError,
  type ChatRequest,
} from "../../src/client/index.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const tool = { name: "f", parameters: { type: "object" } };
const circle: Record<string, unknown> = {};
circle["self"] = circle;

/** A list in a list in a list. */
const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));

const image = (source: unknown): unknown => ({
  messages: [{ role: "user", parts: [{ type: "image", source }] }],
});
const part = (given: unknown, role = "user"): unknown => ({ messages: [{ role, parts: [given] }] });
const hello = [user("hello")];

/** Bad input, where it is, and what is said of it. */
const BAD: readonly (readonly [name: string, request: unknown, where: string, says: RegExp])[] = [
  ["no request at all", null, "request", /an object is expected, got null/],
  ["no messages", { messages: [] }, "messages", /the list is empty/],
  ["messages that are none", { messages: "hello" }, "messages", /a list is expected, got string/],
  ["a message that is null", { messages: [null] }, "messages[0]", /a message is expected, got null/],
  [
    "an unknown role",
    { messages: [...hello, { role: "robot", parts: [] }] },
    "messages[1].role",
    /"robot" is no role; the roles are system/,
  ],
  [
    "a message without parts",
    { messages: [{ role: "user", parts: [] }] },
    "messages[0].parts",
    /the message is empty/,
  ],
  [
    "a message of plain text",
    { messages: [{ role: "user", parts: "hi" }] },
    "messages[0].parts",
    /a list of parts is expected/,
  ],
  [
    "a part of no known type",
    part({ type: "smell" }),
    "messages[0].parts[0].type",
    /"smell" is no type of part/,
  ],
  [
    "a text that is a number",
    part({ type: "text", text: 3 }),
    "messages[0].parts[0].text",
    /text is expected, got number/,
  ],
  [
    "a call by the user",
    part({ type: "tool-call", id: "c", name: "f", arguments: "" }),
    "messages[0].parts[0]",
    /only the assistant calls tools/,
  ],
  [
    "a call without a name",
    part({ type: "tool-call", id: "c", name: "", arguments: "" }, "assistant"),
    "messages[0].parts[0].name",
    /no name/,
  ],
  [
    "a result by the assistant",
    part({ type: "tool-result", callId: "c", content: "" }, "assistant"),
    "messages[0].parts[0]",
    /is the tool's/,
  ],
  [
    "a result in a result",
    part({ type: "tool-result", callId: "c", content: [{ type: "tool-result" }] }, "tool"),
    "messages[0].parts[0].content[0].type",
    /cannot stand inside/,
  ],
  [
    "an image that is a text file",
    image({ kind: "base64", mediaType: "text/plain", data: "aGk=" }),
    "messages[0].parts[0].source",
    /"text\/plain" is no type of image/,
  ],
  [
    "an image that is no PNG",
    image({ kind: "base64", mediaType: "image/png", data: "aGVsbG8gd29ybGQ=" }),
    "messages[0].parts[0].source",
    /says it is image\/png, and its bytes are not/,
  ],
  [
    "an image that is no base64",
    image({ kind: "base64", mediaType: "image/png", data: "%%%" }),
    "messages[0].parts[0].source",
    /no base64/,
  ],
  [
    "an empty image",
    image({ kind: "base64", mediaType: "image/png", data: "" }),
    "messages[0].parts[0].source",
    /is empty/,
  ],
  [
    "an image at no address",
    image({ kind: "url", url: "cat.png" }),
    "messages[0].parts[0].source",
    /"cat.png" is no address/,
  ],
  [
    "a data address that is a web page",
    image({ kind: "url", url: "data:text/html,<p>" }),
    "messages[0].parts[0].source",
    /no type of image/,
  ],
  [
    "an image from nowhere",
    image({ kind: "disk" }),
    "messages[0].parts[0].source.kind",
    /none of url, base64 and id/,
  ],
  [
    "circular extras",
    part({ type: "text", text: "", extras: circle }),
    "messages[0].parts[0].extras",
    /a circular reference at .*extras\.self/,
  ],
  ["tools that are no list", { messages: hello, tools: {} }, "tools", /a list is expected/],
  ["a tool without a name", { messages: hello, tools: [{ parameters: {} }] }, "tools[0].name", /no name/],
  [
    "two tools of one name",
    { messages: hello, tools: [tool, tool] },
    "tools[1].name",
    /another tool is called "f"/,
  ],
  [
    "circular parameters",
    { messages: hello, tools: [{ name: "f", parameters: circle }] },
    "tools[0].parameters",
    /circular reference/,
  ],
  [
    "a choice of an absent tool",
    { messages: hello, tools: [tool], toolChoice: { tool: "g" } },
    "toolChoice.tool",
    /no tool is called "g"; the tools are f/,
  ],
  [
    "a choice of nothing known",
    { messages: hello, tools: [tool], toolChoice: "any" },
    "toolChoice",
    /"any" is none of auto, none, required/,
  ],
  [
    "a required call without tools",
    { messages: hello, toolChoice: "required" },
    "toolChoice",
    /there are no tools/,
  ],
  ["an output without a schema", { messages: hello, output: {} }, "output.schema", /JSON Schema is expected/],
  [
    "an output with a bad name",
    { messages: hello, output: { schema: {}, name: "a b" } },
    "output.name",
    /is no name/,
  ],
  [
    "a negative limit",
    { messages: hello, settings: { maxOutputTokens: -1 } },
    "settings.maxOutputTokens",
    /from 1 on is expected, got -1/,
  ],
  [
    "a negative temperature",
    { messages: hello, settings: { temperature: -0.1 } },
    "settings.temperature",
    /from 0 on/,
  ],
  [
    "no number",
    { messages: hello, settings: { topP: Number.NaN } },
    "settings.topP",
    /from 0 to 1 is expected, got NaN/,
  ],
  ["a time that is over", { messages: hello, settings: { timeoutMs: 0 } }, "settings.timeoutMs", /above 0/],
  [
    "an unknown effort",
    { messages: hello, settings: { thinking: "much" } },
    "settings.thinking",
    /none of off, low/,
  ],
  [
    "an unknown setting",
    { messages: hello, settings: { temprature: 1 } },
    "settings.temprature",
    /no such setting/,
  ],
  [
    "a name that is a number",
    { messages: [{ role: "user", parts: [{ type: "text", text: "" }], name: 5 }] },
    "messages[0].name",
    /text is expected, got number/,
  ],
  [
    "extras of a message that are none",
    { messages: [{ role: "user", parts: [{ type: "text", text: "" }], extras: 5 }] },
    "messages[0].extras",
    /an object is expected, got number/,
  ],
  ["a part that is none", part(5), "messages[0].parts[0]", /a part is expected, got number/],
  [
    "every role is named",
    { messages: [{ role: "x", parts: [] }] },
    "messages[0].role",
    /the roles are system, user, assistant, tool$/,
  ],
  [
    "every type of part is named",
    part({ type: "x" }),
    "messages[0].parts[0].type",
    /the types are text, thinking, image, audio, video, file, tool-call, tool-result$/,
  ],
  [
    "a signature that is a number",
    part({ type: "thinking", text: "", signature: 5 }, "assistant"),
    "messages[0].parts[0].signature",
    /text is expected, got number/,
  ],
  [
    "a call whose id is a number",
    part({ type: "tool-call", id: 5, name: "f", arguments: "" }, "assistant"),
    "messages[0].parts[0].id",
    /text is expected, got number/,
  ],
  [
    "a call whose arguments are an object",
    part({ type: "tool-call", id: "c", name: "f", arguments: {} }, "assistant"),
    "messages[0].parts[0].arguments",
    /text is expected, got object/,
  ],
  [
    "a call whose name is a number",
    part({ type: "tool-call", id: "c", name: 5, arguments: "" }, "assistant"),
    "messages[0].parts[0].name",
    /text is expected, got number/,
  ],
  [
    "a result of no call",
    part({ type: "tool-result", content: "" }),
    "messages[0].parts[0].callId",
    /text is expected, got undefined/,
  ],
  [
    "a result whose name is a number",
    part({ type: "tool-result", callId: "c", name: 5, content: "" }),
    "messages[0].parts[0].name",
    /text is expected, got number/,
  ],
  [
    "a result without content",
    part({ type: "tool-result", callId: "c" }),
    "messages[0].parts[0].content",
    /text or a list of parts is expected, got undefined/,
  ],
  [
    "thoughts in a result",
    part({ type: "tool-result", callId: "c", content: [{ type: "thinking", text: "" }] }),
    "messages[0].parts[0].content[0].type",
    /"thinking" cannot stand inside/,
  ],
  [
    "a call in a result",
    part({ type: "tool-result", callId: "c", content: [{ type: "text", text: "" }, { type: "tool-call" }] }),
    "messages[0].parts[0].content[1].type",
    /"tool-call" cannot stand inside/,
  ],
  [
    "a text in a result that is none",
    part({ type: "tool-result", callId: "c", content: [{ type: "text" }] }),
    "messages[0].parts[0].content[0].text",
    /text is expected/,
  ],
  [
    "a source that is a text",
    image("cat.png"),
    "messages[0].parts[0].source",
    /a source is expected, got string/,
  ],
  [
    "an address that is a number",
    image({ kind: "url", url: 5 }),
    "messages[0].parts[0].source.url",
    /text is expected, got number/,
  ],
  [
    "bytes of no type",
    image({ kind: "base64", data: "" }),
    "messages[0].parts[0].source.mediaType",
    /text is expected/,
  ],
  [
    "bytes that are a number",
    image({ kind: "base64", mediaType: "image/png", data: 5 }),
    "messages[0].parts[0].source.data",
    /text is expected/,
  ],
  [
    "an id that is a number",
    image({ kind: "id", id: 5 }),
    "messages[0].parts[0].source.id",
    /text is expected/,
  ],
  [
    "an empty id",
    image({ kind: "id", id: "" }),
    "messages[0].parts[0].source",
    /the id of the file is empty/,
  ],
  ["a tool that is a text", { messages: hello, tools: ["f"] }, "tools[0]", /a tool is expected, got string/],
  [
    "a tool with an empty name",
    { messages: hello, tools: [{ name: "" }] },
    "tools[0].name",
    /the tool has no name/,
  ],
  [
    "a description that is a number",
    { messages: hello, tools: [{ name: "f", description: 5 }] },
    "tools[0].description",
    /text is expected, got number/,
  ],
  [
    "parameters that are a text",
    { messages: hello, tools: [{ name: "f", parameters: "x" }] },
    "tools[0].parameters",
    /a JSON Schema is expected, got string/,
  ],
  [
    "a choice of a tool without any",
    { messages: hello, toolChoice: { tool: "g" } },
    "toolChoice.tool",
    /no tool is called "g"; there are no tools$/,
  ],
  [
    "a choice of a tool of many",
    { messages: hello, tools: [tool, { name: "h" }], toolChoice: { tool: "g" } },
    "toolChoice.tool",
    /the tools are f, h$/,
  ],
  [
    "a choice of a number",
    { messages: hello, tools: [tool], toolChoice: { tool: 5 } },
    "toolChoice",
    /\{"tool":5\} is none of auto, none, required and \{ tool: "…" \}$/,
  ],
  [
    "an output that is a text",
    { messages: hello, output: "x" },
    "output",
    /an object with a schema is expected, got string/,
  ],
  [
    "an output with a number as its name",
    { messages: hello, output: { schema: {}, name: 5 } },
    "output.name",
    /^output.name: 5 is no name: 1 to 64 letters, digits, "_" and "-"$/,
  ],
  [
    "an output with too long a name",
    { messages: hello, output: { schema: {}, name: "a".repeat(65) } },
    "output.name",
    /is no name/,
  ],
  [
    "a schema that holds itself",
    { messages: hello, output: { schema: circle } },
    "output.schema",
    /circular/,
  ],
  [
    "settings that are none",
    { messages: hello, settings: 5 },
    "settings",
    /an object is expected, got number/,
  ],
  [
    "a limit of 0",
    { messages: hello, settings: { maxOutputTokens: 0 } },
    "settings.maxOutputTokens",
    /a whole number from 1 on is expected, got 0/,
  ],
  [
    "a limit that is none",
    { messages: hello, settings: { topK: -1 } },
    "settings.topK",
    /a whole number from 0 on/,
  ],
  [
    "half a token",
    { messages: hello, settings: { topK: 0.5 } },
    "settings.topK",
    /a whole number from 0 on is expected, got 0.5/,
  ],
  [
    "too likely",
    { messages: hello, settings: { topP: 1.1 } },
    "settings.topP",
    /from 0 to 1 is expected, got 1.1/,
  ],
  ["less than unlikely", { messages: hello, settings: { minP: -0.1 } }, "settings.minP", /from 0 to 1/],
  ["more than likely", { messages: hello, settings: { minP: 1.1 } }, "settings.minP", /from 0 to 1/],
  [
    "a penalty below -2",
    { messages: hello, settings: { frequencyPenalty: -2.1 } },
    "settings.frequencyPenalty",
    /from -2 to 2/,
  ],
  [
    "a penalty above 2",
    { messages: hello, settings: { presencePenalty: 2.1 } },
    "settings.presencePenalty",
    /from -2 to 2/,
  ],
  [
    "a penalty below -2 on presence",
    { messages: hello, settings: { presencePenalty: -2.1 } },
    "settings.presencePenalty",
    /from -2 to 2/,
  ],
  [
    "a penalty above 2 on frequency",
    { messages: hello, settings: { frequencyPenalty: 2.1 } },
    "settings.frequencyPenalty",
    /from -2 to 2/,
  ],
  [
    "a negative repetition",
    { messages: hello, settings: { repetitionPenalty: -1 } },
    "settings.repetitionPenalty",
    /a number from 0 on is expected, got -1/,
  ],
  [
    "a temperature that is a text",
    { messages: hello, settings: { temperature: "1" } },
    "settings.temperature",
    /a number from 0 on is expected, got "1"/,
  ],
  [
    "a stop that is a text",
    { messages: hello, settings: { stop: "x" } },
    "settings.stop",
    /a list of texts is expected, got "x"/,
  ],
  [
    "a stop that is a number",
    { messages: hello, settings: { stop: ["x", 5] } },
    "settings.stop",
    /a list of texts is expected/,
  ],
  [
    "half a seed",
    { messages: hello, settings: { seed: 0.5 } },
    "settings.seed",
    /a whole number is expected, got 0.5/,
  ],
  [
    "a budget below 0",
    { messages: hello, settings: { thinking: { budgetTokens: -1 } } },
    "settings.thinking",
    /budgetTokens: a whole number from 0 on is expected, got -1/,
  ],
  [
    "an effort of many",
    { messages: hello, settings: { thinking: 5 } },
    "settings.thinking",
    /5 is none of off, low, medium, high, xhigh, max and \{ budgetTokens: … \}$/,
  ],
  [
    "a yes that is a text",
    { messages: hello, settings: { parallelToolCalls: "yes" } },
    "settings.parallelToolCalls",
    /true or false is expected, got "yes"/,
  ],
  [
    "a time that is a text",
    { messages: hello, settings: { timeoutMs: "5" } },
    "settings.timeoutMs",
    /milliseconds above 0 are expected, got "5"/,
  ],
  [
    "headers that are a list",
    { messages: hello, settings: { headers: [] } },
    "settings.headers",
    /an object of texts is expected/,
  ],
  [
    "a header that is a number",
    { messages: hello, settings: { headers: { a: "", b: 5 } } },
    "settings.headers",
    /an object of texts is expected/,
  ],
  [
    "fields that are a list",
    { messages: hello, settings: { extra: [] } },
    "settings.extra",
    /an object is expected, got array/,
  ],
  [
    "fields that hold themselves",
    { messages: hello, settings: { extra: circle } },
    "settings.extra",
    /JSON cannot hold a circular reference at settings.extra.self/,
  ],
  [
    "fields too deep",
    { messages: hello, settings: { extra: { a: nested(2_000) } } },
    "settings.extra",
    /JSON cannot hold more than \d+ levels at settings.extra.a/,
  ],
  ["a signal that is none", { messages: hello, signal: {} }, "signal", /an AbortSignal is expected/],
];

test.each(BAD)("%s is refused with its place and what is wrong [X-02]", async (_, request, where, says) => {
  const fault = thrownBy(() => checkRequest(request as ChatRequest));

  expect(fault).toMatchObject({ kind: "validation", retryable: false, where });
  expect(fault.message).toMatch(says);
  await expect(fixedClient("hi").complete(request as ChatRequest)).rejects.toMatchObject({
    kind: "validation",
    where,
  });
});

test("bounds themselves are within them", () => {
  const settings: ChatRequest["settings"] = {
    maxOutputTokens: 1,
    temperature: 0,
    topP: 1,
    topK: 0,
    minP: 0,
    frequencyPenalty: -2,
    presencePenalty: 2,
    repetitionPenalty: 0,
    seed: 0,
    timeoutMs: 0.1,
    thinking: { budgetTokens: 0 },
    stop: [],
  };

  checkRequest({ messages: hello, settings, output: { schema: {}, name: "a".repeat(64) } });
  checkRequest({ messages: hello, settings: { topP: 0, minP: 1, frequencyPenalty: 2, presencePenalty: -2 } });
  checkRequest({ messages: hello, settings: { extra: { a: [nested(3), null, true, undefined] } } });
  checkRequest({ messages: hello, tools: [{ name: "f" }], toolChoice: "required" });
  expect(thrownBy(() => checkRequest({ messages: [] })).hint).toBe(
    'Give at least one message, e.g. user("…").',
  );
  expect(thrownBy(() => checkRequest({ messages: [{ role: "user", parts: [] }] })).hint).toBe(
    "Leave it out, or say something.",
  );
  expect(thrownBy(() => checkRequest({ messages: hello, settings: { a: 1 } as never })).hint).toBe(
    "Put what only one provider knows into `extra`.",
  );
});

function thrownBy(act: () => void): ChatError {
  try {
    act();
  } catch (error) {
    if (isChatError(error)) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

test("a request that uses everything passes, and is left as it was [X-03]", () => {
  const request: ChatRequest = {
    messages: [
      { role: "system", parts: [{ type: "text", text: "be brief" }] },
      {
        role: "user",
        name: "ann",
        parts: [
          { type: "text", text: "" },
          { type: "image", source: { kind: "base64", mediaType: "image/png", data: PNG }, detail: "low" },
          { type: "image", source: { kind: "url", url: `data:image/png;base64,${PNG}` } },
          { type: "audio", source: { kind: "url", url: "data:;base64,UklGRg==" } },
          { type: "video", source: { kind: "url", url: "https://example.com/v.mp4" } },
          { type: "file", source: { kind: "id", id: "file-1" }, name: "a.pdf" },
        ],
      },
      assistant({ type: "tool-call", id: "c", name: "f", arguments: "{}" }),
      { role: "tool", parts: [{ type: "tool-result", callId: "c", content: [{ type: "text", text: "1" }] }] },
    ],
    tools: [tool],
    toolChoice: { tool: "f" },
    output: { schema: z.object({ answer: z.number() }), name: "answer" },
    settings: {
      thinking: { budgetTokens: 0 },
      stop: ["\n"],
      headers: { a: "b" },
      extra: { deep: { list: [1] } },
    },
    signal: new AbortController().signal,
  };
  const before = JSON.stringify(request);

  checkRequest(request);

  expect(JSON.stringify(request)).toBe(before);
});

test("a signal that has aborted is a cancellation, before anything is asked", async () => {
  const client = fixedClient("hi");
  const signal = AbortSignal.abort();

  await expect(client.complete({ messages: hello, signal })).rejects.toMatchObject({
    kind: "cancelled",
    retryable: false,
  });
  expect(client.calls).toEqual([]);
});
