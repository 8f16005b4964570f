import { describe, expect, it } from "vitest";
import { readDotenv } from "../../../src/core/base/dotenv.ts";

describe("a file of variables", () => {
  it.each([
    ["OPENAI_API_KEY=sk-1", "sk-1"],
    ["export OPENAI_API_KEY = 'x y'", "x y"],
    ["A=1\r\n  OPENAI_API_KEY=$OTHER\r\n", "$OTHER"],
    ['OPENAI_API_KEY="a \\" b # c" # mine', 'a \\" b # c'],
    ["OPENAI_API_KEY=a#b # mine", "a#b"],
    ["OPENAI_API_KEY=old\nOPENAI_API_KEY=new", "new"],
  ])("sets a name by %j", (text, value) => {
    expect(readDotenv(text)).toMatchObject({ OPENAI_API_KEY: value });
  });

  it.each(["# OPENAI_API_KEY=sk-1", "OPENAI_API_KEY=", "NOT_OPENAI_API_KEY=1", "OPENAI_API_KEY=\nB=1"])(
    "sets none by %j",
    (text) => {
      expect(readDotenv(text)).not.toHaveProperty("OPENAI_API_KEY");
    },
  );
});
