import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The chat in the files of `test/fixtures/recorders`, which are as other recorders write them. */
export const ASKED = { model: "gpt-4o-mini", messages: [{ role: "user", content: "Say hi" }] };
export const ANSWERED = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "gpt-4o-mini",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi – there" }, finish_reason: "stop" }],
};
export const ADDRESS = "https://api.openai.com/v1/chat/completions";
export const STREAM = [
  'data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hi"}}]}\r\n\r\n',
  ": a comment\r\n\r\n",
  'data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\r\n\r\n',
  "data: [DONE]\r\n\r\n",
].join("");

/** The same with letters that UTF-8 has in more bytes than one. */
export const ACCENTED = STREAM.replace("Hi", "Grüße – €");

export const recorderFile = (name: string): string =>
  readFileSync(join(import.meta.dirname, "..", "fixtures", "recorders", name), "utf8");
