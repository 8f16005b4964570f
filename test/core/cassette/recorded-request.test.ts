import { expect, it } from "vitest";
import { recordedRequest } from "../../../src/core/cassette/recorded-request.ts";
import { bytes } from "../../support/a-recording.ts";

it("of a call its method, path, body and content type are kept: no header, and no credential of its query", () => {
  const kept = recordedRequest({
    method: "POST",
    path: "/v1beta/models/m:generateContent?key=AIzaOfTheUser0123456789&alt=sse",
    headers: [
      ["content-type", "application/json"],
      ["authorization", "Bearer sk-of-the-user-0123456789"],
      ["x-goog-api-key", "AIzaOfTheUser0123456789"],
      ["cookie", "sid=of-the-user"],
    ],
    body: bytes("{}"),
  });

  expect(kept).toEqual({
    method: "POST",
    path: "/v1beta/models/m:generateContent?alt=sse",
    body: bytes("{}"),
    contentType: "application/json",
  });
});
