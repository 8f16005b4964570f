import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { withRule } from "../../../src/core/config/edit-config.ts";
import { readConfig } from "../../../src/core/config/read-config.ts";
import { NAMED_PATTERNS } from "../../../src/core/match/rules/named-patterns.ts";
import { loadPatterns } from "../../../src/core/match/rules/patterns.ts";

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

  it.each([
    ['{\n "normalize": [{}]\n}', '2:16: "normalize[0]" must have one of'],
    ['{ "normalize": {} }', '1:16: "normalize" must be a list'],
    ['{ "normalize": [{ "ignore": "" }] }', "1:29:"],
    ['{ "normalize": [{ "ignore": "/a", "with": "b" }] }', '"normalize[0].with" is unknown here'],
    ['{ "normalize": [{ "header": "x-api-key" }] }', "carries a credential"],
    ['{ "normalize": [{ "ignoreHeader": "a b" }] }', "not a valid header name"],
    ['{ "normalize": [{ "header": "Content-Type" }] }', "is already part of the key"],
    ['{ "normalize": [{ "header": "range", "at": "/a" }] }', '"normalize[0].at" is unknown'],
    ['{ "normalize": [{ "replace": "a" }] }', 'has no "with"'],
    ['{ "normalize": [{ "replace": "(", "with": "" }] }', "1:30:"],
    ['{ "normalize": [{ "replace": "a*", "with": "" }] }', "matches the empty string"],
    ['{ "upstreams": { "openai": "https://evil.example" } }', "must not decide where keys are sent"],
    ['{ "upstreems": 1 }', '"upstreems" is unknown in tapedeck.jsonc'],
    ['{ "credentials": { "Events": ["token"] } }', "is not under a valid provider name"],
    ['{ "credentials": { "events": "token" } }', "must be a list"],
    ['{ "repeats": "often" }', 'must be one of "takes", "same", "trials"'],
    ['{ "lenient": {} }', "must have a script, a reply, or a mock"],
    ['{ "lenient": { "mock": "parrot" } }', 'must be one of "echo"'],
    ['{ "lenient": { "reply": "a", "mock": "echo" } }', "cannot be combined with"],
    ['{ "lenient": { "script": "../../etc/passwd" } }', "must be a path within the project"],
    ['{ "lenient": { "script": "/etc/passwd" } }', "must be a path within the project"],
    ['{ "lenient": { "script": "none.json" } }', "there is no none.json"],
    ['{ "lenient": { "script": [{ "repply": "a" }] } }', '"lenient.script[0].repply" is unknown here'],
    ['{ "repeats": "same", "repeats": "takes" }', "appears twice"],
    ["[]", "1:1: it is not a JSON object"],
    ['{ "normalize": [', "it is cut off"],
    [`{ "normalize": ${"[".repeat(5_000)}`, "tapedeck.jsonc:"],
  ])("locates the error: %s", (text, reason) => {
    expect(() => read(text)).toThrow(reason);
    expect(() => read(text)).toThrow(/^tapedeck\.jsonc:\d+:\d+: /);
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
