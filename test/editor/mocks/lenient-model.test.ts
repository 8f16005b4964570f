import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { memberIn, withMember } from "../../../src/core/config/edit-config.ts";
import { readScript } from "../../../src/core/config/read-script.ts";
import { lenientChoices, lenientNow, NEW_SCRIPT } from "../../../src/editor/mocks/lenient-model.ts";
import { mockAnswers } from "../../../src/editor/mocks/mock-answers-model.ts";
import { scriptPreview } from "../../../src/editor/mocks/script-preview-model.ts";
import { aProject, chatOf } from "../../deck/a-project.ts";
import { aMissing } from "../call-events.ts";

test.each([
  [{ lenient: undefined }, "the default reply"],
  [{ lenient: { mock: "echo" } }, "an echo of the last user message"],
  [{ lenient: { script: "a.jsonl" } }, "the script a.jsonl"],
  [{ lenient: { script: ["a"] } }, "the script in tapedeck.jsonc"],
  [{ lenient: { reply: "yes" } }, '"yes"'],
])("the current answer of lenient mode is described briefly: %j", (now, words) => {
  expect(lenientNow(now.lenient)).toBe(words);
  expect(lenientChoices(now.lenient)[0]).toMatchObject({ description: words, lenient: "keep" });
});

test("a choice is written into tapedeck.jsonc and keeps the rest", () => {
  const before = '{\n  // ours\n  "repeats": "same",\n}\n';

  const after = withMember(before, "lenient", { script: "a.json" });

  expect(after).toContain("// ours");
  expect(memberIn(after, "lenient")).toEqual({ script: "a.json" });
  expect(memberIn(withMember(after, "lenient", undefined), "lenient")).toBeUndefined();
  expect(memberIn(withMember("", "faults", [{ status: 429 }]), "faults")).toEqual([{ status: 429 }]);
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

test("a missing call shows the answer of each mock, and when the own one would not answer", async () => {
  const project = aProject();
  const { miss } = await project.ask(chatOf(["text: hello"]));
  const answers = async (): Promise<readonly unknown[]> =>
    (await mockAnswers(miss!, project.deck)).map(({ name, mocked }) => [
      name,
      "problem" in mocked ? "problem" : mocked.view.projection.messages[0]?.parts,
    ]);

  const plain = await answers();
  await project.say({ lenient: { script: [{ reply: "x", model: "another" }] } });

  expect(plain).toMatchObject([
    ["Lenient", [{ text: expect.stringContaining("default reply") as string }]],
    ["Echo", [{ text: "text: hello" }]],
    ["Kosong's echo", [{ text: "hello" }]],
  ]);
  expect((await answers())[0]).toEqual(["Your script", "problem"]);
});

test("a script's preview shows the replies for the calls of the window, and the target of each", async () => {
  const project = aProject();
  const { miss } = await project.ask(chatOf(["about snakes"]));
  const calls = [1, 2].map((at) => aMissing("about snakes", { id: String(at), miss: miss!, at }));
  const script = {
    text: '[{"reply": "hiss", "text": "snake"}, {"status": 429, "times": "always"}]',
    file: "s.json",
  };

  const preview = await scriptPreview(script, { deck: project.deck, calls });
  const empty = await scriptPreview(script, { deck: project.deck, calls: [] });
  const broken = await scriptPreview({ text: "[{}]", file: "s.json" }, { deck: project.deck, calls });

  expect(preview).toContain('reply 1 of the script: "hiss"');
  expect(preview).toContain("status 429, reply 2 of the script");
  expect(preview).toContain('1. for 1 call (text "snake"): "hiss"');
  expect(preview).toContain("2. for every call: status 429");
  expect(empty).toContain("No call is missing in this window");
  expect(broken).toContain("s.json, reply 1: it has no reply");
});
