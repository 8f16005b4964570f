import { describe, expect, it } from "vitest";
import type { CarriedBy } from "../../../src/core/cassette/recorded-request.ts";
import { findCredential, spellCredentials } from "../../../src/core/secrets/guard.ts";
import type { Recording } from "../../../src/core/cassette/recording.ts";
import { listTextsOfRecording } from "../../../src/core/secrets/searched-texts.ts";

const KEY = 'sk-live/0123+456=789"x';
const CALL = { provider: "openai", headers: [["authorization", `Bearer ${KEY}`]], path: "/v1/x" } as const;

const findIn = (recording: Recording, call: CarriedBy): string | undefined =>
  findCredential(listTextsOfRecording(recording), spellCredentials(call))?.message;

describe("a credential of the call", () => {
  it.each([
    ["as it is", KEY],
    ["escaped in JSON", JSON.stringify(KEY).slice(1, -1)],
    ["escaped for a URL", encodeURIComponent(KEY)],
    ["in base64", Buffer.from(KEY).toString("base64")],
    ["in base64url", Buffer.from(KEY).toString("base64url")],
    ["within longer base64", Buffer.from(`user-1:${KEY}:more`).toString("base64")],
    ["in hexadecimal", Buffer.from(KEY).toString("hex")],
    [
      "in escapes of JSON",
      KEY.replaceAll(/./g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`),
    ],
    ["in JSON within JSON", JSON.stringify(JSON.stringify({ key: KEY })).slice(1, -1)],
    [
      "in escapes of a URL that are not needed",
      KEY.replaceAll(/./g, (char) => `%${char.charCodeAt(0).toString(16)}`),
    ],
  ])("is found in a reply %s, and named without being shown", (_, spelled) => {
    const found = findIn(aRecording({ reply: `{"echo":"${spelled}"}` }), CALL);

    expect(found).toContain(
      "the response contains the credential that the call sent in header authorization",
    );
    expect(found).not.toContain("0123");
  });

  it("is found in the request's body, its path and the test's name", () => {
    const places = [
      aRecording({ request: `{"prompt":"${JSON.stringify(KEY).slice(1, -1)}"}` }),
      aRecording({ path: `/v1/${encodeURIComponent(KEY)}` }),
      aRecording({ test: KEY }),
    ];

    const found = places.map((recording) => findIn(recording, CALL)?.split(" contains")[0]);

    expect(found).toEqual(["the request body", "the path", "the name of its test"]);
  });

  it("is looked for wherever a provider takes one", () => {
    const recording = aRecording({ reply: "my-secret-key-123" });
    const names =
      "x-api-key api-key x-goog-api-key cookie x-portkey-api-key helicone-auth cf-access-client-secret x-session-token";
    const ways = names.split(" ").map((name) => {
      const value = name === "cookie" ? "sid=my-secret-key-123" : "my-secret-key-123";
      return findIn(recording, { provider: "openai", headers: [[name, value]], path: "/v1/x" });
    });

    const inQuery = findIn(recording, {
      provider: "gemini",
      headers: [],
      path: "/v1/x?key=my-secret-key-123",
    });

    expect([...ways, inQuery].every((found) => found !== undefined)).toBe(true);
  });

  it.each([
    ["basic", `Basic ${Buffer.from("someone:pass word 123").toString("base64")}`, "pass word 123"],
    [
      "signed",
      "AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/2026/x, SignedHeaders=host;x-amz-date, Signature=0123456789abcdef",
      "0123456789abcdef",
    ],
    ["bare", "a-key-without-scheme", "a-key-without-scheme"],
    ["one with an equals sign in it", "Bearer abcdefgh=123", "abcdefgh=123"],
  ])("is found in a header that is %s", (_, value, leaked) => {
    const call = { provider: "openai", headers: [["authorization", value]], path: "/v1/x" } as const;

    expect(findIn(aRecording({ reply: leaked }), call)).toContain("header authorization");
    expect(findIn(aRecording({ reply: "x-amz-date AWS4-HMAC-SHA256 someone" }), call)).toBeUndefined();
  });

  it("is found in a body by the name of its member and reported with its place", () => {
    const request = JSON.stringify({
      messages: [{ role: "user", content: "hi", password: "not-a-credential" }],
      tools: [{ type: "mcp", server_url: "https://x", authorization: "Bearer tok-0123456789" }],
    });
    const call = {
      provider: "openai",
      headers: [],
      path: "/",
      body: Buffer.from(request),
    };

    expect(findIn(aRecording({ request }), call)).toBe(
      "the request body contains the credential that the call sent in tools[0].authorization of its body",
    );
  });

  it("is found in a body whose name for it is written with escapes", () => {
    const request = String.raw`{"api\u005fkey":"tok-0123456789"}`;
    const call = { provider: "own", headers: [], path: "/", body: Buffer.from(request) };

    expect(findIn(aRecording({ request }), call)).toContain("api_key of its body");
  });

  it.each(["text/event-stream", "application/x-ndjson"])(
    "is found in pieces over the values of a stream of %s that no protocol knows",
    (contentType) => {
      const pieces = ["my-sec", "ret-k", "ey-123"].map((text) => JSON.stringify({ a: { b: text }, c: 1 }));
      const lines = pieces.map((text) =>
        contentType === "text/event-stream" ? `data: ${text}\n\n` : `${text}\n`,
      );
      const recording = aRecording({ reply: lines.join(""), contentType });

      const found = findIn(recording, {
        provider: "openai",
        headers: [["x-api-key", "my-secret-key-123"]],
        path: "/",
      });

      expect(found).toContain("the response contains");
    },
  );

  it("is not found without one, nor in a header without a value", () => {
    const recording = aRecording({ reply: '{"text":"application/json"}' });

    expect(findIn(recording, CALL)).toBeUndefined();
    expect(
      findIn(recording, {
        provider: "openai",
        headers: [["content-type", "application/json"]],
        path: "/v1/x",
      }),
    ).toBeUndefined();
  });
});

function aRecording(parts: {
  reply?: string;
  request?: string;
  path?: string;
  test?: string;
  contentType?: string;
}): Recording {
  return {
    provider: "openai",
    operation: "http",
    key: `sha256:${"0".repeat(64)}`,
    recordedAt: "2026-01-02T03:04:05.000Z",
    request: { method: "POST", path: parts.path ?? "/v1/x", body: Buffer.from(parts.request ?? "{}") },
    reply: {
      status: 200,
      body: Buffer.from(parts.reply ?? "{}"),
      ...(parts.contentType !== undefined && { contentType: parts.contentType }),
    },
    ...(parts.test !== undefined && { test: { file: "a.test.ts", name: [parts.test] } }),
  };
}
