import { expect, it } from "vitest";
import { createRecordedRequest } from "../../../src/core/cassette/recorded-request.ts";
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
