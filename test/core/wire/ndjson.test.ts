import { expect, it } from "vitest";
import { createLineCutter, cutLines } from "../../../src/core/wire/ndjson.ts";
import { bytesOf, textOf } from "../../../src/core/wire/text.ts";

it("cuts newline-delimited JSON after each line feed and keeps an open last line", () => {
  const lines = cutLines(bytesOf('{"a":1}\n{"b":2}\r\n\n{"c":')).map(textOf);

  expect(lines).toEqual(['{"a":1}\n', '{"b":2}\r\n', "\n", '{"c":']);
});

it("cuts lines alike when they come in byte by byte", () => {
  const body = bytesOf('{"text":"é🙂"}\n{"b":2}\n');
  const cutter = createLineCutter();

  const lines = [...body].flatMap((byte) => cutter.push(new Uint8Array([byte])));

  expect(lines).toEqual(cutLines(body));
  expect(cutter.rest()).toHaveLength(0);
});
