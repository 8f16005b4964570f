import { expect, test } from "vitest";
import { showValue } from "../../src/client/json/plain.ts";
import { findMediaFault } from "../../src/client/media.ts";
import { listDictEntries, getDictValue, isDict } from "../../src/client/python/value.ts";
import { given } from "./bad-input/cells.ts";

test("a value that JSON cannot hold is shown by its kind", () => {
  const circle: unknown[] = [];
  circle.push(circle);

  const values = [circle, { circle }, () => 0, Symbol("s"), 5n, undefined, "x".repeat(90)];
  expect(values.map(showValue).join(", ")).toBe(
    `a list, an object, a function, a symbol, 5, undefined, "${"x".repeat(79)}…`,
  );
});

test("a dict of Python is a plain object or a map", () => {
  const map = new Map<unknown, unknown>([
    [1, "a"],
    ["b", 2],
  ]);

  expect(listDictEntries(map)).toEqual([
    ["1", "a"],
    ["b", 2],
  ]);
  expect([getDictValue(map, "b"), getDictValue({ b: 3 }, "b"), getDictValue({}, "toString")]).toEqual([
    2,
    3,
    undefined,
  ]);
  expect([map, {}, Object.create(null)].every(isDict)).toBe(true);
  expect([[], new Date(), null, "x"].some(isDict)).toBe(false);
});

const begin = (...bytes: number[]): string =>
  btoa(String.fromCharCode(...bytes, ...Array<number>(12).fill(0)));

const base64 = (mediaType: string, data: string): object => ({ kind: "base64", mediaType, data });
const url = (address: string): object => ({ kind: "url", url: address });

test.each<readonly [type: string, source: object, fault?: string]>([
  ["file", { kind: "id", id: "f" }],
  ["file", { kind: "id", id: "" }, "the id of the file is empty"],
  ["image", url("https://a.test/a.png")],
  ["image", url("http://a.test")],
  ["image", url("gs://a/b")],
  ["image", url("file:///a")],
  ["image", url("oss://a/b")],
  ["image", url("ftp://a.test"), '"ftp://a.test" is not a URL: use http(s) or data'],
  ["image", url("x".repeat(90)), `"${"x".repeat(80)}" is not a URL: use http(s) or data`],
  ["image", url("data:image/png,a")],
  ["image", url("data:text/html;a=1,a"), '"text/html" is not a type of image'],
  ["image", url("data:image/x;base64,"), "the image is empty"],
  ["audio", url("data:;base64,aGk=")],
  ["audio", base64("application/octet-stream", "aGk=")],
  ["audio", base64("Audio/WAV", "aGk=")],
  ["audio", base64("audio/wav", "aGk=a"), "the audio's data is not base64"],
  ["audio", base64("audio/wav", "a%k="), "the audio's data is not base64"],
  ["file", base64("text/x", "aGk=")],
  ["image", base64(`text/${"x".repeat(90)}`, "aGk="), `"text/${"x".repeat(75)}" is not a type of image`],
  ["image", base64("image/PNG", begin(0x89, 80, 78, 71, 13, 10, 26, 10))],
  ["image", base64("image/jpeg", begin(0xff, 0xd8, 0xff))],
  ["image", base64("image/jpeg", begin(0xff, 0xd8, 0xff).replaceAll("/", "_"))],
  ["image", base64("image/gif", btoa("GIF87a"))],
  ["image", base64("image/gif", btoa("GIF89a more"))],
  ["image", base64("image/webp", btoa("RIFF"))],
  ["image", base64("image/bmp", btoa("BM"))],
])("a medium that is a %s is looked at as far as it can be, case %#", (type, source, fault) => {
  expect(findMediaFault(given({ type, source }))).toBe(fault);
});
