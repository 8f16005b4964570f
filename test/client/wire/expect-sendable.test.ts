import { expect, test } from "vitest";
import { expectSendable, readSendLimits, type Sendable } from "../../../src/client/wire/expect-sendable.ts";
import { failureOf } from "../bad-input/cells.ts";

const HI = { role: "user", content: "hi" };
const said = (part: object): Sendable => ({ messages: [{ role: "user", content: [part] }] });
const inParts = (part: object): Sendable => ({ messages: [HI, { role: "user", parts: [part] }] });
const image = (url: unknown): object => ({ type: "image_url", image_url: { url } });
const anthropic = (source: object): object => ({ type: "image", source: { type: "base64", ...source } });
const f = { type: "function", function: { name: "f" } };

test.each<readonly [sendable: Sendable, says: string]>([
  [{ messages: [] }, "messages: the list is empty"],
  [
    { messages: [HI, { role: "robot", content: "x" }] },
    'messages[1].role: "robot" is not a role; the roles are system, developer, user, assistant, tool, function, model',
  ],
  [{ messages: [{ role: "user" }] }, "messages[0]: the message is empty"],
  [
    { messages: [HI], tools: [f, { type: "function", function: {} }] },
    "tools[1].function.name: a tool needs a name",
  ],
  [{ messages: [HI], tools: [{ type: "function" }] }, "tools[0].name: a tool needs a name"],
  [{ messages: [HI], tools: [{ name: "" }] }, "tools[0].name: a tool needs a name"],
  [
    { messages: [HI], toolChoice: { function: { name: "g" } } },
    'tool_choice: no tool is called "g"; there are no tools',
  ],
  [
    { messages: [HI], tools: [f, { name: "h" }], toolChoice: { name: "g" } },
    'tool_choice: no tool is called "g"; the tools are f, h',
  ],
  [{ messages: [HI], limits: { max_tokens: -1 } }, "max_tokens: must be 0 or more, not -1"],
  [{ messages: [HI], limits: { timeout: Number.NaN } }, "timeout: must be 0 or more, not NaN"],
  [said(image("")), "messages[0].content[0].image_url.url: an image needs an address"],
  [said(image(" ")), "messages[0].content[0].image_url.url: an image needs an address"],
  [said(image(undefined)), "messages[0].content[0].image_url.url: an image needs an address"],
  [said({ type: "image_url", image_url: "" }), "messages[0].content[0].image_url: an image needs an address"],
  [said(image("DATA:nothing")), "messages[0].content[0].image_url.url: the image's URL contains no data"],
  [
    said(image("data:text/plain;base64,QUJD")),
    'messages[0].content[0].image_url.url: "text/plain" is not a type of image',
  ],
  [said(image("data:image/png;base64,")), "messages[0].content[0].image_url.url: the image is empty"],
  [
    said(image("data:image/png;base64,?")),
    "messages[0].content[0].image_url.url: the image's data is not base64",
  ],
  [said({ image: "" }), "messages[0].content[0].image: an image needs an address"],
  [
    said(anthropic({ media_type: "text/plain", data: "QUJD" })),
    'messages[0].content[0].source: "text/plain" is not a type of image',
  ],
  [said(anthropic({ media_type: "image/png" })), "messages[0].content[0].source: the image is empty"],
  [said(anthropic({ data: "?" })), "messages[0].content[0].source: the image's data is not base64"],
  [
    inParts({ inline_data: { mime_type: "image/png", data: "?" } }),
    "messages[1].parts[0].inline_data: the image's data is not base64",
  ],
  [
    inParts({ inlineData: { mimeType: "image/png", data: "" } }),
    "messages[1].parts[0].inline_data: the image is empty",
  ],
])("%j is refused: %s", async (sendable, says) => {
  expect(await failureOf(() => expectSendable(sendable))).toMatchObject({
    kind: "validation",
    message: says,
  });
});

test.each<readonly [sendable: Sendable]>([
  [{ messages: [], mayBeEmpty: true }],
  [{ messages: "hi" }],
  [{ messages: [{ content: null }, { role: "assistant", tool_calls: [] }, { role: "model", parts: [] }] }],
  [{ messages: [{ function_call: {} }, { images: [] }, { audio: {} }, { refusal: "no" }] }],
  [{ messages: [HI], tools: [f, { name: "h" }, {}], toolChoice: { function: { name: "f" } } }],
  [{ messages: [HI], tools: [f, { name: "h" }], toolChoice: { type: "tool", name: "h" } }],
  [{ messages: [HI], toolChoice: "auto", limits: { max_tokens: 0, timeout: undefined } }],
  [said(image("https://a.test/x"))],
  [said(image("data:image/png;base64,QUJD"))],
  [said(image("data:;base64,QUJD"))],
  [said({ type: "text", text: "x" })],
  [said({ type: "document", source: { type: "base64", data: "?" } })],
  [said({ type: "image", source: { type: "url", url: "u" } })],
  [said(anthropic({ media_type: "image/png", data: new Uint8Array(3) }))],
  [inParts({ inline_data: { mime_type: "audio/wav", data: "?" } })],
  [inParts({ inline_data: { data: "?" } })],
  [{ messages: [{ role: "user", content: ["text", 5] }] }],
])("%j may be sent", (sendable) => {
  expect(() => expectSendable(sendable)).not.toThrow();
});

test("circular values are refused with their place, and repeated ones are not", async () => {
  const circle: { inner: object[] } = { inner: [] };
  circle.inner.push({ again: circle });
  const twice = { a: 1 };

  expect(
    await failureOf(() => expectSendable({ messages: [{ role: "user", content: circle }] })),
  ).toMatchObject({
    message: "messages[0].content.inner[0].again: the value contains itself",
  });
  expect(
    await failureOf(() => expectSendable({ messages: [HI], tools: [{ name: "f", x: circle }] })),
  ).toMatchObject({
    message: "tools[0].x.inner[0].again: the value contains itself",
  });
  expect(() => expectSendable({ messages: [{ role: "user", content: [twice, twice] }] })).not.toThrow();
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
