import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfigMember, withMember } from "../../../src/core/config/edit-config.ts";
import { readScript } from "../../../src/core/config/read-script.ts";
import { listLenientChoices, describeLenient, NEW_SCRIPT } from "../../../src/editor/mocks/lenient-model.ts";

test.each([
  [{ lenient: undefined }, "the default reply"],
  [{ lenient: { mock: "echo" } }, "an echo of the last user message"],
  [{ lenient: { script: "a.jsonl" } }, "the script a.jsonl"],
  [{ lenient: { script: ["a"] } }, "the script in tapedeck.jsonc"],
  [{ lenient: { reply: "yes" } }, '"yes"'],
])("the current answer of lenient mode is described briefly: %j", (now, words) => {
  expect(describeLenient(now.lenient)).toBe(words);
  expect(listLenientChoices(now.lenient)[0]).toMatchObject({ description: words, lenient: "keep" });
});

test("a choice is written into tapedeck.jsonc and keeps the rest", () => {
  const before = '{\n  // ours\n  "repeats": "same",\n}\n';

  const after = withMember(before, "lenient", { script: "a.json" });

  expect(after).toContain("// ours");
  expect(readConfigMember(after, "lenient")).toEqual({ script: "a.json" });
  expect(readConfigMember(withMember(after, "lenient", undefined), "lenient")).toBeUndefined();
  expect(readConfigMember(withMember("", "faults", [{ status: 429 }]), "faults")).toEqual([{ status: 429 }]);
  expect(() => withMember("{", "lenient", {})).toThrow("tapedeck.jsonc:1:2");
});

test("the script that is made for a person can be used, and the schemas of files and project agree", () => {
  const schema = (name: string): { definitions: Record<string, unknown> } =>
    JSON.parse(readFileSync(join(import.meta.dirname, `../../../schemas/${name}.schema.json`), "utf8")) as {
      definitions: Record<string, unknown>;
    };
  const { definitions } = schema("config");

  expect(readScript(NEW_SCRIPT, "new")).toHaveLength(5);
  for (const name of ["script", "faults"])
    for (const [own, definition] of Object.entries(schema(name).definitions))
      expect(definitions[own]).toEqual(definition);
});
