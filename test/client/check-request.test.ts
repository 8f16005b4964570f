import { expect, test } from "vitest";
import { z } from "zod";
import {
  assistant,
  checkRequest,
  fixedClient,
  isChatError,
  jsonSchemaOf,
  user,
  type ChatError,
  type ChatRequest,
} from "../../src/client/index.ts";
import { failureOf } from "./bad-input/cells.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const tool = { name: "f", parameters: { type: "object" } };
const circle: Record<string, unknown> = {};
circle["self"] = circle;

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

test.each<readonly [how: string, input: () => unknown, says: string]>([
  [
    "says why",
    () => {
      throw new Error("a date is none");
    },
    "output.schema: it has no JSON Schema: a date is none",
  ],
  [
    "throws a text",
    () => {
      throw "none";
    },
    "output.schema: it has no JSON Schema: none",
  ],
  ["gives none", () => undefined, "output.schema: it has no JSON Schema"],
])("a library's schema that %s is refused with its place", async (_, input, says) => {
  const schema = {
    "~standard": { version: 1, vendor: "v", validate: () => ({ value: 1 }), jsonSchema: { input } },
  };

  await expect(failureOf(() => jsonSchemaOf({ schema }))).resolves.toMatchObject({
    message: says,
    where: "output.schema",
  });
});
