import { expect, test } from "vitest";
import {
  aaskBatchKey,
  aaskCodeKey,
  aaskKey,
  isStrongKey,
  strongKey,
} from "../../../src/systems/metagpt/keys.ts";
import { message, seesImages } from "../../../src/systems/metagpt/message.ts";
import { parsePython } from "../../../src/client/python/value.ts";
import { goldenFile, type GoldenRow } from "../../client/golden.ts";

const golden = goldenFile("metagpt-keys");
const lossless = rowsKeepingNumbers(golden.text);

golden.test(
  "a key is MetaGPT's for every request [MG-01, MG-02, MG-03, MG-04, MG-05, MG-06, MG-07, MG-08, MG-09, MG-10, MG-11, MG-D2, MG-D3, MG-D4, MG-D5]",
  {
    run: keyOf,
  },
);
golden.done();

function keyOf({ name }: GoldenRow): string {
  const { method, args, model = "gpt-4-turbo" } = lossless.get(name) ?? {};
  if (method === "aask") return aaskKey(args["msg"], args["system_msgs"]);
  if (method === "aask_batch") return aaskBatchKey(revive(args["msgs"]));
  return aaskCodeKey(revive(args["messages"]), { seesImages: seesImages(model) });
}

/** The rows as a reader sees them that keeps the spelling of numbers. */
// oxlint-disable-next-line typescript/no-explicit-any -- golden rows have a shape of their own
function rowsKeepingNumbers(text: string): ReadonlyMap<string, any> {
  // oxlint-disable-next-line typescript/no-explicit-any
  const { rows } = parsePython(text) as { rows: readonly any[] };
  return new Map(rows.map((row) => [row.name, row.input]));
}

// oxlint-disable-next-line typescript/no-explicit-any
function revive(value: any): unknown {
  if (Array.isArray(value)) return value.map(revive);
  const given = value?.$message;
  if (given === undefined) return value;
  return message(given.content, { role: given.role, images: given.metadata?.images });
}

test("different requests never share a strong key, however their texts are cut [MG-I1, MG-11]", () => {
  const base = { method: "aask", provider: "openai", model: "m" } as const;
  const asks = (msg: unknown, more: object = {}) => ({ ...base, args: { msg, ...more } });
  const says = (role: string, content: string): object => ({ role, content });
  const requests = [
    asks("a#MSG_SEP#b"),
    asks([says("user", "a"), says("user", "b")]),
    asks([says("user", "a"), says("assistant", "b")]),
    asks([says("user", "a#MSG_SEP#b")]),
    asks([message("a#MSG_SEP#b")]),
    { ...base, method: "aask_batch" as const, args: { msgs: ["a", "b"] } },
    { ...base, method: "aask_batch" as const, args: { msgs: ["a#MSG_SEP#b"] } },
    asks("b", { systemMsgs: ["a"] }),
    asks("a#SYSTEM_MSG_END#b"),
    asks("q", { images: ["x"] }),
    asks("q", { formatMsgs: [says("user", "f")] }),
    asks("q"),
    { ...asks("q"), model: "n" },
    { ...asks("q"), provider: "azure" },
    { ...base, method: "aask_code" as const, args: { messages: "q" } },
    { ...base, method: "aask_code" as const, args: { messages: "q", temperature: 1 } },
  ];

  const keys = requests.map(strongKey);

  expect(new Set(keys).size).toBe(requests.length);
  expect(keys.every(isStrongKey)).toBe(true);
  expect(strongKey({ ...base, args: { n: 1, m: [1.5] } })).not.toBe(
    strongKey({ ...base, args: { n: 2, m: [1.5] } }),
  );
  expect(strongKey({ ...base, args: { n: 1, m: 2 } })).toBe(strongKey({ ...base, args: { m: 2, n: 1 } }));
  expect(strongKey({ ...base, args: { m: ["a", "b"] } })).not.toBe(
    strongKey({ ...base, args: { m: ["ab"] } }),
  );
  expect(strongKey({ ...base, args: { msg: "q", images: undefined } })).toBe(
    strongKey({ ...base, args: { msg: "q" } }),
  );
});

test("models that are newer than MetaGPT's own list see no pictures, as legacy keys have it [MG-09]", () => {
  const seeing =
    "gpt-4o-2024-08-06 openai/gpt-4o google/gemini-2.0-flash-exp:free gemini-2.0-pro-exp-02-05 claude-3-5-sonnet-v2 anthropic/claude-3.5-sonnet anthropic/claude-3.7-sonnet".split(
      " ",
    );
  const others =
    "gpt-4.5-preview gemini-2.0-flash gemini-2.5-pro gemini-2.0-pro claude-3-5-sonnet-20241022 claude-3-7-sonnet-20250219 claude-3.5-sonnet gpt-4-vision-preview gpt-4-turbo gpt-5".split(
      " ",
    );

  expect(seeing.map(seesImages)).toEqual(seeing.map(() => true));
  expect(others.map(seesImages)).toEqual(others.map(() => false));
});
