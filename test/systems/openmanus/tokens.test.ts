import { expect, test } from "vitest";
import {
  createTokenCounter,
  encodingFor,
  type EncodingName,
  loadEncoding,
} from "../../../src/systems/openmanus/token-counter.ts";
import { writePythonRepr } from "../../../src/client/python/write.ts";
import { parsePython } from "../../../src/client/python/value.ts";
import { goldenFile } from "../../client/golden.ts";

const byCharacter = createTokenCounter((text) => Array.from(text).length);

const images = goldenFile("openmanus-images");
images.test("a picture costs what OpenManus takes it to cost [OM-05, OM-06, OM-D7, OM-D8]", {
  run: ({ input }) => byCharacter.countImage(input),
});
images.done();

const overhead = goldenFile("openmanus-overhead");
overhead.test("messages cost their texts and their framing [OM-01, OM-02, OM-03, OM-04, OM-D7, OM-D13]", {
  run: ({ input }) => byCharacter.countMessageTokens(input.messages),
});
overhead.done();

const texts = goldenFile("openmanus-text");
texts.test("a model's tokens are counted in its encoding [OM-08]", {
  rows: ({ name }) => name.startsWith("model-"),
  run: ({ input }) => encodingFor(input.model),
});
texts.test("a text has as many tokens as tiktoken counts, special ones as ordinary text [OM-09, OM-D6]", {
  rows: ({ input }) => typeof input.text === "string",
  run: async ({ input }) => (await loadEncoding(input.encoding as EncodingName))(input.text),
});
texts.test("messages have as many tokens as OpenManus counts [OM-02]", {
  rows: ({ name }) => name.startsWith("messages-"),
  run: async ({ input }) =>
    createTokenCounter(await loadEncoding(input.encoding as EncodingName)).countMessageTokens(input.messages),
});
const lossless = (parsePython(texts.text) as { rows: readonly { name: string; input: { tool: unknown } }[] })
  .rows;
texts.test("a tool costs the tokens of its Python representation [OM-07, OM-D9]", {
  rows: ({ name }) => name.startsWith("tool-"),
  async run({ name }) {
    const { tool } = lossless.find((row) => row.name === name)!.input;
    const [own, other] = await Promise.all([loadEncoding("o200k_base"), loadEncoding("cl100k_base")]);
    return {
      python_str: writePythonRepr(tool),
      tokens: createTokenCounter(own).countTool(tool),
      cl100k_tokens: createTokenCounter(other).countTool(tool),
    };
  },
});
texts.done();

test("a tool's tokens can be those of the request instead [OM-D9]", () => {
  const tool = { type: "function", strict: true };

  expect(byCharacter.countTool(tool)).toBe("{'type': 'function', 'strict': True}".length);
  expect(byCharacter.countTool(tool, "json")).toBe('{"type":"function","strict":true}'.length);
});

test("sides that are no lengths are refused, tool calls that are null cost nothing [OM-D8, OM-D13]", () => {
  expect(() => byCharacter.countImage({ detail: "high", dimensions: [-1, 5] })).toThrow(
    "two lengths in pixels",
  );
  expect(byCharacter.countImage({ detail: "high", dimensions: { width: 2048, height: 1024 } })).toBe(1105);
  const side = (dimensions: readonly number[]): number =>
    byCharacter.countImage({ detail: "high", dimensions });
  expect([side([0, 5]), side([5, 0])]).toEqual([side([1, 5]), side([5, 1])]);
  expect(byCharacter.countToolCalls(null)).toBe(0);
});
