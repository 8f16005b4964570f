import { describe, expect, test } from "vitest";
import { assistant, system, toolResult, user } from "../../../src/client/make-message.ts";
import type { Part } from "../../../src/client/message.ts";
import type { ChatRequest, ChatSettings } from "../../../src/client/request.ts";
import { CLIENTS, type ClientName } from "./clients.ts";

const video: Part = { type: "video", source: { kind: "url", url: "https://example.com/a.mp4" } };
const audio: Part = { type: "audio", source: { kind: "url", url: "https://example.com/a.wav" } };
const picture: Part = { type: "image", source: { kind: "url", url: "https://example.com/a.png" } };
const held: Part = { type: "image", source: { kind: "id", id: "file-1" } };
const hi = { messages: [user("hi")] };
const set = (settings: ChatSettings): ChatRequest => ({ ...hi, settings });

/** What a provider cannot do, by adapter: the request, and where and in what words it is refused. */
const REFUSED: readonly (readonly [ClientName, string, ChatRequest, where: string, text: RegExp])[] = [
  ["openai chat", "video", { messages: [user([video])] }, "messages[0].parts[0]", /OpenAI cannot take video/],
  [
    "openai chat",
    "an image by id",
    { messages: [user([held])] },
    "messages[0].parts[0]",
    /OpenAI cannot take an image by/,
  ],
  [
    "openai chat",
    "audio by address",
    { messages: [user([audio])] },
    "messages[0].parts[0]",
    /OpenAI cannot fetch audio/,
  ],
  [
    "openai chat",
    "a picture that the assistant said",
    { messages: [user("hi"), { role: "assistant", parts: [picture] }] },
    "messages[1].parts[0]",
    /OpenAI cannot take back image/,
  ],
  ["openai chat", "top k", set({ topK: 3 }), "settings.topK", /OpenAI cannot take topK/],
  [
    "openai chat",
    "a thinking budget",
    set({ thinking: { budgetTokens: 9 } }),
    "settings.thinking",
    /OpenAI cannot limit thinking/,
  ],
  ["azure chat", "min p", set({ minP: 0.1 }), "settings.minP", /Azure OpenAI cannot take minP/],
  [
    "openai responses",
    "a seed",
    set({ seed: 1 }),
    "settings.seed",
    /Responses API of OpenAI cannot take seed/,
  ],
  [
    "openai responses",
    "audio",
    { messages: [user([audio])] },
    "messages[0].parts[0]",
    /: OpenAI cannot take audio/,
  ],
  [
    "openai responses",
    "a picture that the assistant said",
    { messages: [user("hi"), { role: "assistant", parts: [picture] }] },
    "messages[1].parts[0]",
    /: OpenAI cannot take back image/,
  ],
  [
    "openai responses",
    "a thinking budget",
    set({ thinking: { budgetTokens: 9 } }),
    "settings.thinking",
    /: OpenAI cannot limit thinking/,
  ],
  [
    "anthropic",
    "audio",
    { messages: [user([audio])] },
    "messages[0].parts[0]",
    /Anthropic cannot take audio/,
  ],
  ["anthropic", "a seed", set({ seed: 1 }), "settings.seed", /Anthropic cannot take seed/],
  ["anthropic", "system messages alone", { messages: [system("s")] }, "messages", /Anthropic cannot answer/],
  [
    "anthropic",
    "a budget beyond the answer",
    set({ maxOutputTokens: 1000, thinking: "high" }),
    "settings.maxOutputTokens",
    /spend 16384 tokens on thinking within an answer of 1000/,
  ],
  [
    "anthropic",
    "tools beside a structured answer",
    { ...hi, tools: [{ name: "f" }], output: { schema: { type: "object" } } },
    "tools",
    /Anthropic cannot give a structured answer and call tools/,
  ],
  [
    "anthropic",
    "a choice of tools beside a structured answer",
    { ...hi, toolChoice: "none", output: { schema: { type: "object" } } },
    "toolChoice",
    /Anthropic cannot give a structured answer and call tools/,
  ],
  [
    "gemini",
    "a late system message",
    { messages: [user("a"), system("b")] },
    "messages[1]",
    /Gemini cannot take a system message/,
  ],
  [
    "gemini",
    "a nameless result",
    { messages: [user("a"), toolResult("c9", "x")] },
    "messages[1].parts[0]",
    /without its name/,
  ],
  [
    "gemini",
    "parallel calls",
    set({ parallelToolCalls: false }),
    "settings.parallelToolCalls",
    /Gemini cannot/,
  ],
  [
    "ollama",
    "pictures by address",
    { messages: [user([picture])] },
    "messages[0].parts[0]",
    /Ollama cannot fetch images/,
  ],
  [
    "ollama",
    "a thinking budget",
    set({ thinking: { budgetTokens: 9 } }),
    "settings.thinking",
    /Ollama cannot limit/,
  ],
  ["dashscope", "min p", set({ minP: 0.1 }), "settings.minP", /DashScope cannot take minP/],
  [
    "dashscope compatible",
    "audio by address",
    { messages: [user([audio])] },
    "messages[0].parts[0]",
    /DashScope cannot fetch audio/,
  ],
];

test.each([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["GIF", "image/gif"],
  ["webp", "image/webp"],
  ["wav", "audio/wav"],
  ["mp3", "audio/mpeg"],
  ["mp4", "video/mp4"],
  ["mov?a=b.png", "video/quicktime"],
  ["webm#t", "video/webm"],
  ["pdf", "application/pdf"],
  ["txt", "text/plain"],
  ["odd", undefined],
])("Gemini is told the type of an address that ends in .%s", async (ending, mimeType) => {
  const { client, sent } = untouched("gemini");
  const url = `https://example.com/a.${ending}`;

  await client
    .complete({ messages: [user([{ type: "video", source: { kind: "url", url } }])] })
    .catch(() => undefined);

  expect(sent[0]).toEqual({ fileData: { fileUri: url, ...(mimeType && { mimeType }) } });
});

describe("an adapter refuses what its provider cannot do, names it, and sends nothing", () => {
  test.each(REFUSED)("%s: %s", async (...row) => {
    const [name, , request, where, text] = row;
    const { client, sent } = untouched(name);

    for (const asked of [client.complete(request), next(client.stream(request))])
      await expect(asked).rejects.toMatchObject({
        kind: "validation",
        retryable: false,
        where,
        message: expect.stringMatching(text),
      });

    expect(sent).toEqual([]);
  });

  test.each(Object.keys(CLIENTS) as ClientName[])("%s: whatever no provider can do", async (name) => {
    const { client, sent } = untouched(name);
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    const bad: readonly unknown[] = [
      {},
      { messages: [] },
      { messages: [{ role: "wizard", parts: [] }] },
      { ...hi, tools: [{ name: "" }] },
      { ...hi, tools: [{ name: "f" }], toolChoice: { tool: "g" } },
      { ...hi, settings: { maxOutputTokens: -1 } },
      { ...hi, settings: { extra: circular } },
      {
        messages: [
          user([{ type: "image", source: { kind: "base64", mediaType: "image/png", data: "bm8=" } }]),
        ],
      },
    ];

    for (const request of bad)
      await expect(client.complete(request as ChatRequest)).rejects.toMatchObject({ kind: "validation" });

    expect(sent).toEqual([]);
  });

  test.each(["anthropic", "gemini", "ollama"] as const)(
    "%s: arguments that are no JSON, where an object has to be sent",
    async (name) => {
      const { client } = untouched(name);
      const call: Part = { type: "tool-call", id: "c1", name: "f", arguments: "{oops" };

      const asked = client.complete({ messages: [user("a"), assistant([call]), toolResult("c1", "x", "f")] });

      await expect(asked).rejects.toMatchObject({
        kind: "validation",
        message: expect.stringContaining("arguments of f (c1)"),
      });
    },
  );
});

function untouched(name: ClientName) {
  const sent: unknown[] = [];
  const client = CLIENTS[name](async (_, { body } = {}) => {
    sent.push(partOf(body));
    return new Response("{}");
  });
  return { client, sent };
}

/** The first part of the conversation in the words of Gemini, or whatever else is sent. */
function partOf(body: unknown): unknown {
  const read =
    typeof body === "string"
      ? (JSON.parse(body) as { contents?: readonly { parts: readonly unknown[] }[] })
      : {};
  return read.contents?.[0]?.parts[0] ?? body;
}

async function next(stream: AsyncIterable<unknown>): Promise<unknown> {
  for await (const event of stream) return event;
  return undefined;
}
