import { describe, expect, it } from "vitest";
import { isNear } from "../../../../src/core/match/nearest/is-near.ts";
import { chat, posted } from "../requests.ts";

const system = {
  role: "system",
  content: "You sort the tickets of a support desk into kinds. Answer with one word.",
};
const asking = (...turns: readonly string[]) =>
  chat({
    model: "gpt-4o-mini",
    messages: [
      system,
      ...turns.map((content, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content })),
    ],
  });

describe("the nearest of all recordings is near", () => {
  it.each([
    [
      "a word of the question",
      asking("What is the capital of France?"),
      asking("What is the capital of Spain?"),
    ],
    [
      "the system prompt",
      asking("Say hi"),
      chat({ model: "gpt-5", messages: [{ role: "user", content: "Say hi" }] }),
    ],
    ["a late turn", asking("Hi", "Hello", "Where is it?"), asking("Hi", "Hello", "Cancel my order, please.")],
    ["a text to embed", posted('{"input":["one red lamp"]}'), posted('{"input":["one blue lamp"]}')],
  ])("where it differs in %s", (_, recorded, asked) => {
    expect(isNear(recorded, asked)).toBe(true);
  });

  it.each([
    [
      "the model and the system prompt",
      asking("Where is my parcel? I ordered it two weeks ago."),
      asking("Cannot log in. The password reset mail never comes."),
    ],
    [
      "a few small words",
      asking("What is the weather in Paris?"),
      asking("How old is the king of Spain in years?"),
    ],
  ])("and not where it has nothing in common but %s", (_, recorded, asked) => {
    expect(isNear(recorded, asked)).toBe(false);
  });
});
