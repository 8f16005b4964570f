import { expect, it } from "vitest";
import { createRecordedRequest, withoutCredentials } from "../../../src/core/cassette/recorded-request.ts";
import type { WireHeaders } from "../../../src/core/call/call.ts";
import { bytes } from "../../support/a-recording.ts";

it("of a call its method, path, body, content type and the headers of its key are kept: no other, and no credential of its query", () => {
  const headers: WireHeaders = [["anthropic-beta", "files"]];
  const call = {
    provider: "gemini",
    method: "POST",
    path: "/v1beta/models/m:generateContent?key=AIzaOfTheUser0123456789&alt=sse",
    headers: [
      ["content-type", "application/json"],
      ["authorization", "Bearer sk-of-the-user-0123456789"],
      ["x-goog-api-key", "AIzaOfTheUser0123456789"],
      ["cookie", "sid=of-the-user"],
    ],
    body: bytes("{}"),
  } as const;

  expect(createRecordedRequest(call, headers)).toEqual({
    ...createRecordedRequest(call, undefined),
    headers,
  });
  expect(createRecordedRequest(call, undefined)).toEqual({
    method: "POST",
    path: "/v1beta/models/m:generateContent?alt=sse",
    body: bytes("{}"),
    contentType: "application/json",
  });
});

it.each([
  ["openai", "/v1/models", "/v1/models"],
  ["gemini", "/v1beta/x:generate?key=AIza123&alt=sse", "/v1beta/x:generate?alt=sse"],
  ["vertex", "/v1/x?Key=short&token=page2", "/v1/x?token=page2"],
  ["pages", "/v1/x?key=user1&token=page2", "/v1/x?key=user1&token=page2"],
  ["pages", "/v1/x?key=pages-about-cats-and-dogs", "/v1/x?key=pages-about-cats-and-dogs"],
  ["pages", "/v1/x?token=2026-11-23T00:00:00.000Z", "/v1/x?token=2026-11-23T00:00:00.000Z"],
  ["pages", "/v1/x?key=sk%2D0123456789abcdefghij&a=1", "/v1/x?key=sk%2D0123456789abcdefghij&a=1"],
  ["pages", "/v1/x?access_token=abc", "/v1/x"],
  ["pages", "/v1/x?API%5Fkey=abc&a=1&a=2", "/v1/x?a=1&a=2"],
])("a query of %s, %s, is kept as %s", (provider, path, kept) => {
  expect(withoutCredentials(path, provider)).toBe(kept);
});
