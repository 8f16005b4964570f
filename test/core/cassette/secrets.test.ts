import { describe, expect, it } from "vitest";
import { findCredentials, findSecrets, withoutCredentials } from "../../../src/core/cassette/secrets.ts";
import type { Recording } from "../../../src/core/cassette/recording.ts";

const KEY = 'sk-live/0123+456=789"x';
const CALL = { headers: [["authorization", `Bearer ${KEY}`]], path: "/v1/x" } as const;

describe("a credential of the call", () => {
  it.each([
    ["as it is", KEY],
    ["escaped in JSON", JSON.stringify(KEY).slice(1, -1)],
    ["escaped for a URL", encodeURIComponent(KEY)],
    ["in base64", Buffer.from(KEY).toString("base64")],
    ["in base64url", Buffer.from(KEY).toString("base64url")],
  ])("is found in a reply %s, and named without being shown", (_, spelled) => {
    const found = findCredentials(aRecording({ reply: `{"echo":"${spelled}"}` }), CALL);

    expect(found).toContain("the reply holds the credential that the call sent in header authorization");
    expect(found).not.toContain("0123");
  });

  it("is found in the request's body, its path and the test's name", () => {
    const places = [
      aRecording({ request: `{"prompt":"${JSON.stringify(KEY).slice(1, -1)}"}` }),
      aRecording({ path: `/v1/${encodeURIComponent(KEY)}` }),
      aRecording({ test: KEY }),
    ];

    const found = places.map((recording) => findCredentials(recording, CALL)?.split(" holds")[0]);

    expect(found).toEqual(["the request body", "the path", "the test"]);
  });

  it("is looked for wherever a provider takes one", () => {
    const recording = aRecording({ reply: "my-secret-key-123" });
    const ways = ["x-api-key", "api-key", "x-goog-api-key", "cookie"].map((name) => {
      const value = name === "cookie" ? "sid=my-secret-key-123" : "my-secret-key-123";
      return findCredentials(recording, { headers: [[name, value]], path: "/v1/x" });
    });

    const inQuery = findCredentials(recording, { headers: [], path: "/v1/x?key=my-secret-key-123" });

    expect([...ways, inQuery].every((found) => found !== undefined)).toBe(true);
  });

  it("is not found where it is not, nor where a header holds none", () => {
    const recording = aRecording({ reply: '{"text":"application/json"}' });

    expect(findCredentials(recording, CALL)).toBeUndefined();
    expect(
      findCredentials(recording, { headers: [["content-type", "application/json"]], path: "/v1/x" }),
    ).toBeUndefined();
  });
});

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

function aRecording(parts: { reply?: string; request?: string; path?: string; test?: string }): Recording {
  return {
    provider: "openai",
    operation: "http",
    key: `sha256:${"0".repeat(64)}`,
    recordedAt: "2026-01-02T03:04:05.000Z",
    request: { method: "POST", path: parts.path ?? "/v1/x", body: Buffer.from(parts.request ?? "{}") },
    reply: { status: 200, body: Buffer.from(parts.reply ?? "{}") },
    ...(parts.test !== undefined && { test: { file: "a.test.ts", name: [parts.test] } }),
  };
}
