import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { withRule } from "../../../src/core/config/edit-config.ts";
import { readConfig } from "../../../src/core/config/read-config.ts";
import { NAMED_PATTERNS } from "../../../src/core/match/rules/named-patterns.ts";
import { loadPatterns } from "../../../src/core/match/rules/patterns.ts";
import { answersOf } from "../../support/page-of-answers.ts";

const checkPattern = await loadPatterns();
const sources = {
  checkPattern,
  readText: (path: string): string => {
    if (path !== "replies.jsonl") throw new Error(`there is no ${path}`);
    return '"one"\n"two"\n';
  },
};
const read = (text: string) => readConfig(text, sources);

describe("tapedeck.jsonc", () => {
  it("is read with comments and trailing commas; what it does not say is left open", () => {
    expect(read("")).toEqual({ normalize: [] });
    expect(
      read(`\ufeff{ // rules
        "normalize": [
          { "ignore": "/user", "provider": "openai" },
          /* ids */ { "replace": "id-\\\\d+", "with": "<id>", "at": "/messages/*", "operation": ["a", "b"] },
          { "header": "X-Return-Format" }, { "ignoreHeader": "accept", "operation": "http" },
        ],
        "repeats": "same",
        "lenient": { "script": "replies.jsonl" },
      }`),
    ).toEqual({
      normalize: [
        { ignore: "/user", provider: ["openai"] },
        { replace: String.raw`id-\d+`, with: "<id>", at: "/messages/*", operation: ["a", "b"] },
        { header: "x-return-format" },
        { ignoreHeader: "accept", operation: ["http"] },
      ],
      repeats: "same",
      lenient: { script: [{ reply: "one" }, { reply: "two" }], file: "replies.jsonl" },
    });
  });

  it("locates each error on the page, and explains it as the page has it", async () => {
    const errorOf = (text: string): string => {
      try {
        read(text.replaceAll("\\n", "\n"));
      } catch (error) {
        return (error as Error).message;
      }
      return "none";
    };

    const page = join(import.meta.dirname, "config-errors.txt");

    await expect(await answersOf(page, errorOf)).toMatchFileSnapshot(page);
    expect(errorOf(`{ "normalize": ${"[".repeat(5_000)}`)).toMatch(/^tapedeck\.jsonc:\d+:\d+: /);
  });

  it("takes one more rule, and keeps everything else", () => {
    const rule = { ignore: "/user", provider: ["openai"] };
    const texts = [
      "",
      "{}",
      '{\n  // mine\n  "repeats": "same", // too\n}\n',
      '{ "normalize": [\n    // ids\n    { "replace": "$uuid" } // these\n] }',
    ];

    for (const text of texts) {
      const after = withRule(text, rule);
      expect(read(after).normalize.at(-1)).toEqual(rule);
      for (const comment of text.match(/\/\/ \w+/g) ?? []) expect(after).toContain(comment);
      expect(read(withRule(after, { replace: "$hexId" })).normalize).toHaveLength(
        read(after).normalize.length + 1,
      );
    }
    expect(() => withRule('{\n "normalize": [', rule)).toThrow("tapedeck.jsonc:2:");
  });

  it("is described by its schema: every member, and every named pattern", () => {
    const schema = readFileSync(resolve(import.meta.dirname, "../../../schemas/config.schema.json"), "utf8");
    const { definitions, properties } = JSON.parse(schema) as {
      definitions: { replace: { anyOf: readonly [{ enum: unknown; enumDescriptions: unknown }] } };
      properties: object;
    };

    expect(Object.keys(properties).toSorted().join(" ")).toBe(
      "$schema allowHosts allowSecrets credentials faults freeze lenient normalize origins record repeats secrets",
    );
    expect(definitions.replace.anyOf[0].enum).toEqual(Object.keys(NAMED_PATTERNS));
  });
});
