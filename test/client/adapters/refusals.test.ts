import { describe, expect, test } from "vitest";
import { assistant, toolResult, user } from "../../../src/client/make-message.ts";
import type { Part } from "../../../src/client/message.ts";
import type { ChatRequest } from "../../../src/client/request.ts";
import { CLIENTS, type ClientName } from "./clients.ts";

const hi = { messages: [user("hi")] };

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
])("Gemini gets the media type of a URL that ends in .%s", async (ending, mimeType) => {
  const { client, sent } = untouched("gemini");
  const url = `https://example.com/a.${ending}`;

  await client
    .complete({ messages: [user([{ type: "video", source: { kind: "url", url } }])] })
    .catch(() => undefined);

  expect(sent[0]).toEqual({ fileData: { fileUri: url, ...(mimeType && { mimeType }) } });
});

describe("an adapter refuses what no provider can do, and sends nothing", () => {
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
    "%s: arguments that are no JSON, when an object has to be sent",
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
