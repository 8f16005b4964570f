import { expect, it } from "vitest";
import { createCutterFor, cutBody, chooseFraming } from "../../../../src/core/base/wire/framing.ts";
import { encodeUtf8, joinBytes, decodeText } from "../../../../src/core/base/wire/text.ts";

it.each([
  ["text/event-stream", "events"],
  ["Text/Event-Stream;charset=UTF-8", "events"],
  [" application/x-ndjson ; charset=utf-8", "lines"],
  ["application/x-jsonl", "lines"],
  ["application/stream+json", "lines"],
  ["application/json", undefined],
  ["text/event-streams", undefined],
  ["", undefined],
  [undefined, undefined],
])("a body of type %j is framed as %s", (contentType, expected) => {
  expect(chooseFraming(contentType)).toBe(expected);
});

it.each([
  ["events", "data: 1\n\ndata: 2\r\n\r\ndata: 3", ["data: 1\n\n", "data: 2\r\n\r\n", "data: 3"]],
  ["lines", '{"a":1}\n\n{"b":2}\r\n3', ['{"a":1}\n', "\n", '{"b":2}\r\n', "3"]],
] as const)("%s are cut alike as a whole and byte by byte", (framing, body, expected) => {
  const cutter = createCutterFor(framing);

  const pieces = [...encodeUtf8(body)].flatMap((byte) => cutter.push(new Uint8Array([byte])));

  expect([...pieces, cutter.rest()].map(decodeText).filter((piece) => piece !== "")).toEqual(expected);
  expect(cutBody(encodeUtf8(body), framing).map(decodeText)).toEqual(expected);
  expect(joinBytes(cutBody(encodeUtf8(body), framing))).toEqual(encodeUtf8(body));
});
