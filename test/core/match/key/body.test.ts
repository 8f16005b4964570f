import { describe, expect, it } from "vitest";
import { isTapedeckError } from "../../../../src/core/base/errors.ts";
import { parseMultipart, readBody } from "../../../../src/core/base/read-body.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function failure(body: Uint8Array, contentType = "application/json"): string {
  try {
    readBody({ body, contentType });
  } catch (error) {
    if (isTapedeckError(error) && error.code === "tapedeck_bad_request") return error.message;
    throw error;
  }
  throw new Error("the body was read");
}

describe("reading a request body", () => {
  it.each([
    ["application/json", ' {"a":1}', "json"],
    ["application/json; charset=utf-8", "[1]", "json"],
    ["Application/JSON", '"text"', "json"],
    ["application/vnd.api+json", "{}", "json"],
    [undefined, '\r\n\t {"a":1}', "json"],
    ["text/plain;charset=UTF-8", "[1]", "json"],
    ["text/plain", "{not json", "bytes"],
    ["text/plain", '{"a":1,"a":2}', "bytes"],
    [undefined, '"text"', "bytes"],
    ["application/x-www-form-urlencoded", "{}", "bytes"],
    ["application/x-ndjson", "{}\n{}", "bytes"],
    ["application/jsonl", "{}", "bytes"],
    ["application/json", "", "empty"],
    [undefined, "", "empty"],
  ])("takes a body of type %s that is %j for %s", (contentType, text, kind) => {
    expect(readBody({ body: bytes(text), contentType }).kind).toBe(kind);
  });

  it.each([
    ["application/octet-stream", "chat", '{"a":1}', "json"],
    ["application/x-www-form-urlencoded; charset=utf-8", "chat", '{"a":1}', "json"],
    ["application/octet-stream", "chat", "{not json", "bytes"],
    ["application/x-www-form-urlencoded", "chat", "a=1", "bytes"],
    ["audio/wav", "chat", "{}", "bytes"],
    ["application/octet-stream", "http", "{}", "bytes"],
    ["application/x-www-form-urlencoded", "http", "{}", "bytes"],
  ])(
    "reads a body with the content type %s, of the operation %s, %j, as %s",
    (contentType, operation, text, kind) => {
      expect(readBody({ body: bytes(text), contentType, operation }).kind).toBe(kind);
    },
  );

  it("keeps the content type of a body that is not JSON", () => {
    const body = bytes("a=b");

    expect(readBody({ body, contentType: "application/x-www-form-urlencoded" })).toEqual({
      kind: "bytes",
      bytes: body,
      contentType: "application/x-www-form-urlencoded",
    });
    expect(readBody({ body })).toEqual({ kind: "bytes", bytes: body });
  });

  it.each([
    [
      '{"model": "gpt", 5}',
      "the body is not JSON: a member's name in quotes is missing at line 1, column 18.",
    ],
    ['{"a":1,\n"a":2}', 'the body is not JSON: the member "a" appears twice at line 2, column 1.'],
    ["[".repeat(513), "the body is not JSON: the nesting is deeper than 512 levels at line 1, column 513."],
    ["  ", "the body is not JSON: the text is blank at line 1, column 3."],
  ])("locates the error in %j, which is not valid JSON", (text, message) => {
    expect(failure(bytes(text))).toBe(`Tapedeck cannot read this request: ${message}`);
  });

  it.each([
    [[0x22, 0xc3, 0xa9, 0xff, 0x22]],
    [[0x22, 0xed, 0xa0, 0x80, 0x22]],
    [[0xff]],
    [[0x22, 0xe2, 0x82]],
  ])("refuses the bytes %j, which are not UTF-8", (body) => {
    expect(failure(Uint8Array.from(body))).toContain("the body is not UTF-8.");
  });
});

it("reads the same file name from a client that makes one up from the time", () => {
  const read = (filename: string): unknown => {
    const head = `content-disposition: form-data; name="content"; filename="${filename}"`;
    return parseMultipart(bytes(`--b\r\n${head}\r\n\r\nabc\r\n--b--\r\n`), "multipart/form-data; boundary=b");
  };

  expect(read("buffer_1795772695061")).toEqual(read("buffer_1795772715413"));
  expect(read("buffer_1")).not.toEqual(read("buffer_2"));
});
