import { expect, test } from "vitest";
import { assistant, checkRequest, fixedClient, user, type ChatRequest } from "../../src/client/index.ts";
import { given, pageOf, shown } from "./bad-input/cells.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const hello = [user("hello")];
const circle: Record<string, unknown> = {};
circle["self"] = circle;
const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));

const SETTINGS: readonly unknown[] = [
  5,
  { maxOutputTokens: -1 },
  { topP: Number.NaN },
  { extra: circle },
  { extra: { a: nested(2_000) } },
  { extra: { a: [{ b: () => 1 }] } },
  { extra: { a: Number.NaN } },
];

const calling = (more: object): object => ({ type: "tool-call", id: "c", name: "f", arguments: "", ...more });
const result = (more: object): object => ({ type: "tool-result", callId: "c", content: "", ...more });
const image = (source: unknown): object => ({ type: "image", source });
const audio = (source: unknown): object => ({ type: "audio", source });
const base64 = (mediaType: string, data: string): object => ({ kind: "base64", mediaType, data });
const bytes = (...codes: number[]): string =>
  btoa(String.fromCharCode(...codes, ...Array<number>(12).fill(0)));
const within = (content: unknown): object => result({ content: [{ type: "text", text: "" }, content] });

const PARTS_OF_ASSISTANT: readonly unknown[] = [
  5,
  { type: "text", text: 3 },
  result({}),
  { type: "text", text: "", extras: circle },
  { type: "x" },
  { type: "text", text: "", extras: 5 },
  { type: "thinking", text: "", signature: 5 },
  calling({ id: 5 }),
  calling({ arguments: {} }),
  calling({ name: 5 }),
  calling({ name: "" }),
  image("cat.png"),
  image({ kind: "disk" }),
  image({ kind: "url", url: 5 }),
  image({ kind: "base64", data: "" }),
  image({ kind: "base64", mediaType: "image/png" }),
  image({ kind: "id" }),
  image({ kind: "id", id: "" }),
  image({ kind: "url", url: "ftp://a.test" }),
  image({ kind: "url", url: "data:text/html;a=1,a" }),
  image({ kind: "url", url: "data:image/x;base64," }),
  image(base64("text/x", "aGk=")),
  audio(base64("audio/wav", "aGk=a")),
  audio(base64("audio/wav", "a%k=")),
];

const PARTS_OF_TOOL: readonly unknown[] = [
  result({ callId: 5 }),
  result({ name: 5 }),
  result({ content: 5 }),
  within({ type: "thinking" }),
  within({ type: "tool-call" }),
  within({ type: "text" }),
  calling({}),
];

const TOOL = { name: "f" };

const REQUESTS: readonly (object | null)[] = [
  null,
  { messages: [] },
  { messages: "hello" },
  { messages: [null] },
  { messages: [{ role: "user", parts: [] }] },
  { messages: [{ role: "user", parts: "hi" }] },
  { messages: [{ role: "x" }] },
  { tools: {} },
  { tools: [TOOL, TOOL] },
  { tools: [{ name: "f", parameters: circle }] },
  { tools: [{ name: "f", description: 5 }] },
  { tools: [{ name: "f", parameters: "x" }] },
  { tools: [TOOL], toolChoice: "any" },
  { tools: [TOOL], toolChoice: { tool: 5 } },
  { tools: [TOOL, { name: "h" }], toolChoice: { tool: "g" } },
  { toolChoice: { tool: "g" } },
  { toolChoice: "required" },
  { signal: "x" },
];

test("a request that is odd is refused in words by every client", async () => {
  const odd = [
    ...SETTINGS.map((settings) => ({ settings })),
    ...PARTS_OF_ASSISTANT.map((part) => ({ messages: [{ role: "assistant", parts: [part] }] })),
    ...PARTS_OF_TOOL.map((part) => ({ messages: [{ role: "tool", parts: [part] }] })),
    ...REQUESTS,
  ];
  const page = await pageOf(
    odd.map((more) => {
      const request = more === null ? more : { messages: hello, ...more };
      return [shown(more).slice(0, 150), () => fixedClient("hi").complete(given(request))];
    }),
  );

  await expect(page).toMatchFileSnapshot("refused-requests.txt");
});

const MEDIA: readonly object[] = [
  ...["https://a.test/a.png", "http://a.test", "gs://a/b", "file:///a", "oss://a/b", "data:image/png,a"].map(
    (url) => image({ kind: "url", url }),
  ),
  image(base64("image/PNG", bytes(0x89, 80, 78, 71, 13, 10, 26, 10))),
  image(base64("image/jpeg", bytes(0xff, 0xd8, 0xff))),
  image(base64("image/jpeg", bytes(0xff, 0xd8, 0xff).replaceAll("/", "_"))),
  ...["GIF87a", "GIF89a more"].map((text) => image(base64("image/gif", btoa(text)))),
  image(base64("image/webp", btoa("RIFF"))),
  image(base64("image/bmp", btoa("BM"))),
  ...["application/octet-stream", "Audio/WAV"].map((type) => audio(base64(type, "aGk="))),
];

const BOUNDS: readonly object[] = [
  { messages: [{ role: "user", parts: MEDIA }] },
  { settings: { maxOutputTokens: 0, temperature: 0, topP: 0, thinking: { budgetTokens: 0 }, stop: [] } },
  { settings: { frequencyPenalty: -2, presencePenalty: -2, seed: -1 } },
  { settings: { extra: { a: [nested(3), null, true, undefined] } } },
  { tools: [TOOL], toolChoice: "required" },
];

test.each(BOUNDS)("bounds themselves are within them: %j", (more) => {
  expect(() => checkRequest(given({ messages: hello, ...more }))).not.toThrow();
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
