import { expect, test } from "vitest";
import { readEvents } from "../../../src/core/base/wire/sse.ts";
import { joinBytes } from "../../../src/core/base/wire/text.ts";
import {
  buildRequestBody,
  createReplyReader,
  readModelFacts,
  writeReply,
  type ModelPart,
} from "../../../src/editor/language-models/wire-model.ts";

const PARROT = { id: "stand-in/parrot-1", name: "Parrot", family: "parrot", version: "1", maxInputTokens: 9 };

const PARTS: readonly ModelPart[] = [
  { type: "thinking", text: "Hm." },
  { type: "text", text: "one " },
  { type: "text", text: "two" },
  { type: "data", mimeType: "image/png", bytes: Uint8Array.of(137, 80) },
  { type: "data", mimeType: "application/pdf", bytes: Uint8Array.of(1) },
  { type: "thinking", text: "So be it.", id: "t1", metadata: { signature: "c2ln" } },
  { type: "thinking", text: "", metadata: { redacted: "aGlk" } },
  { type: "tool-call", id: "a", name: "search", input: { query: "x" } },
  { type: "tool-call", id: "b", name: "search", input: {} },
];

async function writeAll(parts: readonly ModelPart[]): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of writeReply(PARROT, iterate(parts))) pieces.push(piece);
  return joinBytes(pieces);
}

async function* iterate(parts: readonly ModelPart[]): AsyncGenerator<ModelPart> {
  yield* parts;
}

test("a reply of every kind of part is read as it was written", async () => {
  const body = await writeAll(PARTS);

  const reader = createReplyReader();
  const read = readEvents(body).flatMap(({ data }) => reader.read(data));

  expect(read).toEqual(PARTS);
  expect(reader.end()).toEqual([]);
});

test("a recording names the model that answered, so that it can be offered without its provider", async () => {
  const body = new TextDecoder().decode(await writeAll([{ type: "text", text: "hi" }]));

  expect(readModelFacts(body)).toEqual(PARROT);
  expect(readModelFacts('data: {"model":"copilot/gpt-4o"}\n\n')).toMatchObject({
    id: "copilot/gpt-4o",
    family: "gpt-4o",
  });
  expect(readModelFacts("{}")).toBeUndefined();
});

test("a call in several pieces without a finish reason, as a person may write it, is one call", () => {
  const reader = createReplyReader();
  const piece = (call: object): string =>
    JSON.stringify({ choices: [{ delta: { tool_calls: [{ index: 0, ...call }] } }] });

  reader.read(piece({ id: "a", function: { name: "search", arguments: '{"q":' } }));
  reader.read(piece({ function: { arguments: "1}" } }));

  expect(reader.end()).toEqual([{ type: "tool-call", id: "a", name: "search", input: { q: 1 } }]);
});

test("a request is a chat completion: each tool result is a message, and required tools are marked", () => {
  const body = buildRequestBody({
    model: PARROT.id,
    messages: [
      { role: "user", parts: [{ type: "text", text: "Find it" }] },
      { role: "assistant", parts: [{ type: "tool-call", id: "a", name: "search", input: { q: 1 } }] },
      {
        role: "user",
        parts: [{ type: "tool-result", id: "a", parts: [{ type: "text", text: "found" }] }],
      },
      { role: "user", name: "Ann", parts: PARTS.slice(2, 4) },
    ],
    tools: [{ name: "search", description: "Searches", inputSchema: { type: "object" } }],
    isToolRequired: true,
    modelOptions: { temperature: 0 },
  });

  expect(body).toEqual({
    model: "stand-in/parrot-1",
    messages: [
      { role: "user", content: "Find it" },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "a", type: "function", function: { name: "search", arguments: '{"q":1}' } }],
      },
      { role: "tool", tool_call_id: "a", content: "found" },
      {
        role: "user",
        name: "Ann",
        content: [
          { type: "text", text: "two" },
          { type: "image_url", image_url: { url: "data:image/png;base64,iVA=" } },
        ],
      },
    ],
    tools: [
      {
        type: "function",
        function: { name: "search", description: "Searches", parameters: { type: "object" } },
      },
    ],
    tool_choice: "required",
    temperature: 0,
    stream: true,
  });
});
