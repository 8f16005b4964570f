import { expect, test } from "vitest";
import { assistant, checkRequest, fixedClient, user, type ChatRequest } from "../../src/client/index.ts";
import { failureOf, given } from "./bad-input/cells.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const hello = [user("hello")];
const circle: Record<string, unknown> = {};
circle["self"] = circle;
const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));

/** The words begin with the place, which is a member of the error as well; every client refuses what the check refuses. */
const refusals = (request: unknown) =>
  Promise.all(
    [() => checkRequest(given(request)), () => fixedClient("hi").complete(given(request))].map(failureOf),
  );
const twice = (message: string) => {
  const failure = { kind: "validation", where: message.split(": ")[0], message };
  return [failure, failure];
};

test.each<readonly [name: string, value: unknown, says: string]>([
  ["maxOutputTokens", 0, "a whole number from 1 on is expected, got 0"],
  ["topK", -1, "a whole number from 0 on is expected, got -1"],
  ["topK", 0.5, "a whole number from 0 on is expected, got 0.5"],
  ["topP", -0.1, "a number from 0 to 1 is expected, got -0.1"],
  ["topP", 1.1, "a number from 0 to 1 is expected, got 1.1"],
  ["minP", -0.1, "a number from 0 to 1 is expected, got -0.1"],
  ["minP", 1.1, "a number from 0 to 1 is expected, got 1.1"],
  ["frequencyPenalty", -2.1, "a number from -2 to 2 is expected, got -2.1"],
  ["frequencyPenalty", 2.1, "a number from -2 to 2 is expected, got 2.1"],
  ["presencePenalty", -2.1, "a number from -2 to 2 is expected, got -2.1"],
  ["presencePenalty", 2.1, "a number from -2 to 2 is expected, got 2.1"],
  ["repetitionPenalty", -1, "a number from 0 on is expected, got -1"],
  ["temperature", "1", 'a number from 0 on is expected, got "1"'],
  ["stop", "x", 'a list of texts is expected, got "x"'],
  ["stop", ["x", 5], 'a list of texts is expected, got ["x",5]'],
  ["seed", 0.5, "a whole number is expected, got 0.5"],
  ["thinking", { budgetTokens: -1 }, "budgetTokens: a whole number from 0 on is expected, got -1"],
  ["thinking", 5, "5 is none of off, low, medium, high, xhigh, max and { budgetTokens: … }"],
  ["parallelToolCalls", "yes", 'true or false is expected, got "yes"'],
  ["timeoutMs", "5", 'milliseconds above 0 are expected, got "5"'],
  ["headers", [], "an object of texts is expected"],
  ["headers", { a: "", b: 5 }, "an object of texts is expected"],
  ["extra", [], "an object is expected, got array"],
  ["extra", circle, "JSON cannot hold a circular reference at settings.extra.self"],
  [
    "extra",
    { a: nested(2_000) },
    `JSON cannot hold more than 512 levels at ${`settings.extra.a${"[0]".repeat(200)}`.slice(0, 200)}`,
  ],
  ["topP", Number.NaN, "a number from 0 to 1 is expected, got NaN"],
  ["temprature", 1, "there is no such setting"],
  ["extra", { a: [{ b: () => 1 }] }, "JSON cannot hold a function at settings.extra.a[0].b"],
  ["extra", { a: Number.NaN }, "JSON cannot hold NaN at settings.extra.a"],
])("the setting %s is refused in words, value %#", async (name, value, says) => {
  expect(await refusals({ messages: hello, settings: { [name]: value } })).toEqual(
    twice(`settings.${name}: ${says}`),
  );
});

const PARTS = "text, thinking, image, audio, video, file, tool-call, tool-result";
const calling = (more: object): object => ({ type: "tool-call", id: "c", name: "f", arguments: "", ...more });
const result = (more: object): object => ({ type: "tool-result", callId: "c", content: "", ...more });
const image = (source: unknown): object => ({ type: "image", source });
const within = (content: unknown): object => result({ content: [{ type: "text", text: "" }, content] });

test.each<readonly [part: unknown, says: string]>([
  [5, ": a part is expected, got number"],
  [{ type: "text", text: 3 }, ".text: text is expected, got number"],
  [
    result({}),
    ": a tool's result is the tool's or the user's to give, and the role of this message is assistant",
  ],
  [
    { type: "text", text: "", extras: circle },
    ".extras: JSON cannot hold a circular reference at messages[0].parts[0].extras.self",
  ],
  [{ type: "x" }, `.type: "x" is not a type of part; the types are ${PARTS}`],
  [{ type: "text", text: "", extras: 5 }, ".extras: an object is expected, got number"],
  [{ type: "thinking", text: "", signature: 5 }, ".signature: text is expected, got number"],
  [calling({ id: 5 }), ".id: text is expected, got number"],
  [calling({ arguments: {} }), ".arguments: text is expected, got object"],
  [calling({ name: 5 }), ".name: text is expected, got number"],
  [calling({ name: "" }), ".name: the tool has no name"],
  [image("cat.png"), ".source: a source is expected, got string"],
  [image({ kind: "disk" }), '.source.kind: "disk" is not one of url, base64, and id'],
  [image({ kind: "url", url: 5 }), ".source.url: text is expected, got number"],
  [image({ kind: "base64", data: "" }), ".source.mediaType: text is expected, got undefined"],
  [image({ kind: "base64", mediaType: "image/png" }), ".source.data: text is expected, got undefined"],
  [image({ kind: "id" }), ".source.id: text is expected, got undefined"],
  [image({ kind: "id", id: "" }), ".source: the id of the file is empty"],
])("the part %# of the assistant is refused in words", async (part, says) => {
  expect(await refusals({ messages: [{ role: "assistant", parts: [part] }] })).toEqual(
    twice(`messages[0].parts[0]${says}`),
  );
});

test.each<readonly [part: unknown, says: string]>([
  [result({ callId: 5 }), ".callId: text is expected, got number"],
  [result({ name: 5 }), ".name: text is expected, got number"],
  [result({ content: 5 }), ".content: text or a list of parts is expected, got number"],
  [within({ type: "thinking" }), '.content[1].type: "thinking" cannot be part of a tool result'],
  [within({ type: "tool-call" }), '.content[1].type: "tool-call" cannot be part of a tool result'],
  [within({ type: "text" }), ".content[1].text: text is expected, got undefined"],
  [calling({}), ": only the assistant calls tools, and this is a tool message"],
])("the part %# of a tool is refused in words", async (part, says) => {
  expect(await refusals({ messages: [{ role: "tool", parts: [part] }] })).toEqual(
    twice(`messages[0].parts[0]${says}`),
  );
});

const TOOL = { name: "f" };
const ROLES = "system, user, assistant, tool";

test.each<readonly [request: object | null, says: string]>([
  [null, "request: an object is expected, got null"],
  [{ messages: [] }, "messages: the list is empty"],
  [{ messages: "hello" }, "messages: a list is expected, got string"],
  [{ messages: [null] }, "messages[0]: a message is expected, got null"],
  [{ messages: [{ role: "user", parts: [] }] }, "messages[0].parts: the message is empty"],
  [
    { messages: [{ role: "user", parts: "hi" }] },
    "messages[0].parts: a list of parts is expected, got string",
  ],
  [{ tools: {} }, "tools: a list is expected, got object"],
  [{ tools: [TOOL, TOOL] }, 'tools[1].name: another tool is called "f" too'],
  [
    { tools: [{ name: "f", parameters: circle }] },
    "tools[0].parameters: JSON cannot hold a circular reference at tools[0].parameters.self",
  ],
  [
    { tools: [TOOL], toolChoice: "any" },
    'toolChoice: "any" is none of auto, none, required and { tool: "…" }',
  ],
  [{ messages: [{ role: "x" }] }, `messages[0].role: "x" is not a role; the roles are ${ROLES}`],
  [{ messages: [{ ...hello[0], name: 5 }] }, "messages[0].name: text is expected, got number"],
  [{ messages: [{ ...hello[0], extras: 5 }] }, "messages[0].extras: an object is expected, got number"],
  [{ tools: ["f"] }, "tools[0]: a tool is expected, got string"],
  [{ tools: [{ name: "" }] }, "tools[0].name: the tool has no name"],
  [{ tools: [{ name: "f", description: 5 }] }, "tools[0].description: text is expected, got number"],
  [{ tools: [{ name: "f", parameters: "x" }] }, "tools[0].parameters: a JSON Schema is expected, got string"],
  [{ toolChoice: { tool: "g" } }, 'toolChoice.tool: no tool is called "g"; there are no tools'],
  [{ toolChoice: "required" }, "toolChoice: a tool call is required, and there are no tools"],
  [
    { tools: [TOOL, { name: "h" }], toolChoice: { tool: "g" } },
    'toolChoice.tool: no tool is called "g"; the tools are f, h',
  ],
  [
    { tools: [TOOL], toolChoice: { tool: 5 } },
    'toolChoice: {"tool":5} is none of auto, none, required and { tool: "…" }',
  ],
  [{ settings: 5 }, "settings: an object is expected, got number"],
  [{ signal: "x" }, 'signal: an AbortSignal is expected, got "x"'],
])("a request that is odd is refused in words, case %#", async (more, says) => {
  expect(await refusals(more === null ? more : { messages: hello, ...more })).toEqual(twice(says));
});

test("bounds themselves are within them", () => {
  const least = { maxOutputTokens: 1, temperature: 0, topP: 0, topK: 0, minP: 0, frequencyPenalty: -2 };
  const most = { topP: 1, minP: 1, frequencyPenalty: 2, presencePenalty: 2, thinking: { budgetTokens: 0 } };
  const others = { presencePenalty: -2, repetitionPenalty: 0, seed: -1, timeoutMs: 0.1, stop: [] };
  const extra = { a: [nested(3), null, true, undefined] };
  const accepted = [
    ...[least, most, others, { extra }].map((settings) => ({ settings })),
    { tools: [TOOL], toolChoice: "required" },
  ];

  expect(() => accepted.forEach((more) => checkRequest(given({ messages: hello, ...more })))).not.toThrow();
});

test.each<readonly [request: object, hint: string]>([
  [{ messages: [] }, 'Give at least one message, e.g. user("…").'],
  [{ messages: [{ role: "user", parts: [] }] }, "Leave it out, or say something."],
  [{ messages: hello, settings: { a: 1 } }, "Put settings of a single provider into `extra`."],
])("%j is refused with what to do", (request, hint) => {
  expect(() => checkRequest(given(request))).toThrow(expect.objectContaining({ hint }) as Error);
});

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
    tools: [{ name: "f", parameters: { type: "object" } }],
    toolChoice: { tool: "f" },
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
