import { describe, expect, it } from "vitest";
import { withoutCredentials } from "../../../src/core/cassette/secrets.ts";

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
