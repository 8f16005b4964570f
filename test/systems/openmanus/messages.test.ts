import { expect, test } from "vitest";
import { formatMessages, message, withImages } from "../../../src/systems/openmanus/messages.ts";
import { failureOf } from "../../client/bad-input/cells.ts";
import { goldenFile } from "../../client/golden.ts";

const golden = goldenFile("openmanus-format");

golden.test(
  "messages are formatted as OpenManus formats them, and never changed [OM-14, OM-15, OM-16, OM-17, OM-D3]",
  {
    run({ input }) {
      // oxlint-disable-next-line typescript/no-explicit-any -- as the row has it
      const messages = input.messages.map((one: any) => (one?.$message ? message(one.$message) : one));
      const before = JSON.stringify(messages);
      const outcome = attempt(() => formatMessages(messages, input.supports_images));
      if (JSON.stringify(messages) !== before) throw new Error("the input was changed");
      return outcome;
    },
    // What becomes of the input is always: nothing. The kind of error is ours.
    reduce: (value) => {
      const { formatted, error } = value as { formatted?: unknown; error?: { message: string } };
      return { formatted, error: error?.message };
    },
  },
);
golden.done();

function attempt(format: () => unknown): object {
  try {
    return { formatted: format() };
  } catch (error) {
    return { error: { message: (error as Error).message } };
  }
}

test("a message with only an unknown type is refused with its place", () => {
  expect(() => formatMessages("hi")).toThrow("must be a list");
  expect(() => formatMessages([{ role: "user", content: "a" }, 1.5])).toThrow("<class 'float'>");
});

test("pictures go only to the last user message", () => {
  const failure = failureOf(() =>
    withImages([{ role: "assistant", content: "a" }], ["https://example.com/a.png"]),
  );

  expect(withImages([{ role: "user", content: "a" }], ["https://example.com/a.png"])).toEqual([
    {
      role: "user",
      content: [
        { type: "text", text: "a" },
        { type: "image_url", image_url: { url: "https://example.com/a.png" } },
      ],
    },
  ]);
  return expect(failure).resolves.toMatchObject({ kind: "validation", where: "messages" });
});
