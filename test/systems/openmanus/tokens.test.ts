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

/** tiktoken's whole model table; a name that ends in a dash is a prefix. */
test.each<readonly [EncodingName, models: string]>([
  ["o200k_base", "o1 o3 o4-mini gpt-5 gpt-4.1 gpt-4o gpt-5.1 gpt-5.2-codex"],
  ["o200k_base", "o1- o3- o4-mini- gpt-5- gpt-4.5- gpt-4.1- chatgpt-4o- gpt-4o- ft:gpt-4o"],
  ["o200k_harmony", "gpt-oss-"],
  ["cl100k_base", "gpt-4 gpt-3.5-turbo gpt-3.5 gpt-35-turbo davinci-002 babbage-002 text-embedding-ada-002"],
  ["cl100k_base", "text-embedding-3-small text-embedding-3-large gpt-4- gpt-3.5-turbo- gpt-35-turbo-"],
  ["cl100k_base", "ft:gpt-4 ft:gpt-3.5-turbo ft:davinci-002 ft:babbage-002 unknown my-gpt-4o o1x __proto__"],
  ["p50k_base", "text-davinci-003 text-davinci-002 code-davinci-002 code-davinci-001 code-cushman-002"],
  ["p50k_base", "code-cushman-001 davinci-codex cushman-codex"],
  ["p50k_edit", "text-davinci-edit-001 code-davinci-edit-001"],
  ["r50k_base", "text-davinci-001 text-curie-001 text-babbage-001 text-ada-001 davinci curie babbage ada"],
  ["r50k_base", "text-similarity-davinci-001 text-similarity-curie-001 text-similarity-babbage-001"],
  ["r50k_base", "text-similarity-ada-001 text-search-davinci-doc-001 text-search-curie-doc-001"],
  ["r50k_base", "text-search-babbage-doc-001 text-search-ada-doc-001 code-search-babbage-code-001"],
  ["r50k_base", "code-search-ada-code-001"],
  ["gpt2", "gpt2 gpt-2"],
])("%s counts for %s [OM-08]", (encoding, models) => {
  for (const model of models.split(" "))
    for (const name of [model, model.replace(/-$/, "-2026")])
      expect([name, encodingFor(name)]).toEqual([name, encoding]);
});
