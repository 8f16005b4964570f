import { describe, expect, it } from "vitest";
import { findSecrets, withoutCredentials } from "../../../src/core/cassette/secrets.ts";

describe("a query", () => {
  it.each([
    ["/v1/models", "/v1/models"],
    ["/v1beta/x:generate?key=AIza123&alt=sse", "/v1beta/x:generate?alt=sse"],
    ["/v1/x?access_token=abc", "/v1/x"],
    ["/v1/x?API%5Fkey=abc&a=1&a=2", "/v1/x?a=1&a=2"],
  ])("%s is kept as %s", (path, kept) => {
    expect(withoutCredentials(path)).toBe(kept);
  });
});

describe("a text", () => {
  it("shows its secrets by kind and place, in order", () => {
    const text = [
      '{ "a": "sk-ant-api03-abcdefghijklmnopqrstuvwx",',
      '  "b": "AKIAIOSFODNN7EXAMPLE", "c": "ghp_0123456789abcdefghijABCDEFGHIJ0123456789" }',
    ].join("\n");

    expect(findSecrets(text)).toEqual([
      { kind: "Anthropic key", line: 1, column: 9 },
      { kind: "AWS access key", line: 2, column: 9 },
      { kind: "GitHub token", line: 2, column: 38 },
    ]);
  });

  it.each([
    "sk-proj-abcdefghijklmnopqrstuvwx",
    "sk-or-v1-0123456789abcdef0123456789abcdef",
    `AIza${"a".repeat(35)}`,
    `gsk_${"a".repeat(40)}`,
    `hf_${"a".repeat(34)}`,
    "-----BEGIN RSA PRIVATE KEY-----",
  ])("with %s holds one secret", (secret) => {
    expect(findSecrets(`x ${secret} y`)).toHaveLength(1);
  });

  it("of ordinary words, hashes and ids holds none", () => {
    const text = `task-force risk-averse chatcmpl-${"a1".repeat(16)} sha256:${"0f".repeat(32)} toolu_01${"Ab".repeat(11)}`;

    expect(findSecrets(text)).toEqual([]);
  });
});
