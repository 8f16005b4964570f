import { expect, test } from "vitest";
import { expectSendable, readSendLimits, type Sendable } from "../../../src/client/wire/expect-sendable.ts";
import { pageOf, shown } from "../bad-input/cells.ts";

const HI = { role: "user", content: "hi" };
const said = (part: object): Sendable => ({ messages: [{ role: "user", content: [part] }] });
const inParts = (part: object): Sendable => ({ messages: [HI, { role: "user", parts: [part] }] });
const image = (url: unknown): object => ({ type: "image_url", image_url: { url } });
const anthropic = (source: object): object => ({ type: "image", source: { type: "base64", ...source } });
const f = { type: "function", function: { name: "f" } };

const circle: { inner: object[] } = { inner: [] };
circle.inner.push({ again: circle });
const twice = { a: 1 };

const SENDABLE: readonly Sendable[] = [
  { messages: [], mayBeEmpty: true },
  { messages: "hi" },
  { messages: [{ content: null }, { role: "assistant", tool_calls: [] }, { role: "model", parts: [] }] },
  { messages: [{ function_call: {} }, { images: [] }, { audio: {} }, { refusal: "no" }] },
  { messages: [HI], tools: [f, { name: "h" }, {}], toolChoice: { function: { name: "f" } } },
  { messages: [HI], tools: [f, { name: "h" }], toolChoice: { type: "tool", name: "h" } },
  { messages: [HI], toolChoice: "auto", limits: { max_tokens: 0, timeout: undefined } },
  said(image("https://a.test/x")),
  said(image("data:image/png;base64,QUJD")),
  said(image("data:;base64,QUJD")),
  said({ type: "text", text: "x" }),
  said({ type: "document", source: { type: "base64", data: "?" } }),
  said({ type: "image", source: { type: "url", url: "u" } }),
  said(anthropic({ media_type: "image/png", data: new Uint8Array(3) })),
  inParts({ inline_data: { mime_type: "audio/wav", data: "?" } }),
  inParts({ inline_data: { data: "?" } }),
  { messages: [{ role: "user", content: ["text", 5] }] },
  { messages: [{ role: "user", content: [twice, twice] }] },
  { messages: [] },
  { messages: [HI, { role: "robot", content: "x" }] },
  { messages: [{ role: "user" }] },
  { messages: [HI], tools: [f, { type: "function", function: {} }] },
  { messages: [HI], tools: [{ type: "function" }] },
  { messages: [HI], tools: [{ name: "" }] },
  { messages: [HI], toolChoice: { function: { name: "g" } } },
  { messages: [HI], tools: [f, { name: "h" }], toolChoice: { name: "g" } },
  { messages: [HI], limits: { max_tokens: -1 } },
  { messages: [HI], limits: { timeout: Number.NaN } },
  said(image("")),
  said(image(" ")),
  said(image(undefined)),
  said({ type: "image_url", image_url: "" }),
  said(image("DATA:nothing")),
  said(image("data:text/plain;base64,QUJD")),
  said(image("data:image/png;base64,")),
  said(image("data:image/png;base64,?")),
  said({ image: "" }),
  said(anthropic({ media_type: "text/plain", data: "QUJD" })),
  said(anthropic({ media_type: "image/png" })),
  said(anthropic({ data: "?" })),
  inParts({ inline_data: { mime_type: "image/png", data: "?" } }),
  inParts({ inlineData: { mimeType: "image/png", data: "" } }),
  { messages: [{ role: "user", content: circle }] },
  { messages: [HI], tools: [{ name: "f", x: circle }] },
];

test("a request may be sent, or is refused with its place, as the page beside this test has it", async () => {
  const page = await pageOf(SENDABLE.map((sendable) => [shown(sendable), () => expectSendable(sendable)]));

  await expect(page).toMatchFileSnapshot("sendable.txt");
});

test("limits are those of all providers that are given", () => {
  expect(
    readSendLimits({
      max_tokens: 1,
      max_completion_tokens: 2,
      max_output_tokens: 3,
      maxOutputTokens: 4,
      timeout: 5,
      n: 6,
    }),
  ).toEqual({
    max_tokens: 1,
    max_completion_tokens: 2,
    max_output_tokens: 3,
    maxOutputTokens: 4,
    timeout: 5,
  });
});
