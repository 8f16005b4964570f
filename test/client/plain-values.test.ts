import { expect, test } from "vitest";
import { showValue } from "../../src/client/json/plain.ts";
import { findMediaFault } from "../../src/client/media.ts";
import { listDictEntries, getDictValue, isDict } from "../../src/client/python/value.ts";
import { given } from "./bad-input/cells.ts";

test("a value that JSON cannot hold is shown by its kind", () => {
  const circle: unknown[] = [];
  circle.push(circle);

  expect([circle, { circle }, () => 0, Symbol("s"), 5n, undefined, "x".repeat(90)].map(showValue)).toEqual([
    "a list",
    "an object",
    "a function",
    "a symbol",
    "5",
    "undefined",
    `"${"x".repeat(79)}…`,
  ]);
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
  expect([map, {}, Object.create(null), [], new Date(), null, "x"].map(isDict)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

const begin = (...bytes: number[]): string =>
  btoa(String.fromCharCode(...bytes, ...Array<number>(12).fill(0)));

test.each<readonly [type: string, source: object, fault: string | undefined]>([
  ["file", { kind: "id", id: "f" }, undefined],
  ["file", { kind: "id", id: "" }, "the id of the file is empty"],
  ["image", { kind: "url", url: "https://a.test/a.png" }, undefined],
  ["image", { kind: "url", url: "http://a.test" }, undefined],
  ["image", { kind: "url", url: "gs://a/b" }, undefined],
  ["image", { kind: "url", url: "file:///a" }, undefined],
  ["image", { kind: "url", url: "oss://a/b" }, undefined],
  ["image", { kind: "url", url: "ftp://a.test" }, '"ftp://a.test" is not a URL: use http(s) or data'],
  ["image", { kind: "url", url: "x".repeat(90) }, `"${"x".repeat(80)}" is not a URL: use http(s) or data`],
  ["image", { kind: "url", url: "data:image/png,a" }, undefined],
  ["image", { kind: "url", url: "data:text/html;a=1,a" }, '"text/html" is not a type of image'],
  ["image", { kind: "url", url: "data:image/x;base64," }, "the image is empty"],
  ["audio", { kind: "url", url: "data:;base64,aGk=" }, undefined],
  ["audio", { kind: "base64", mediaType: "application/octet-stream", data: "aGk=" }, undefined],
  ["audio", { kind: "base64", mediaType: "Audio/WAV", data: "aGk=" }, undefined],
  ["audio", { kind: "base64", mediaType: "audio/wav", data: "aGk=a" }, "the audio's data is not base64"],
  ["audio", { kind: "base64", mediaType: "audio/wav", data: "a%k=" }, "the audio's data is not base64"],
  ["file", { kind: "base64", mediaType: "text/x", data: "aGk=" }, undefined],
  [
    "image",
    { kind: "base64", mediaType: `text/${"x".repeat(90)}`, data: "aGk=" },
    `"text/${"x".repeat(75)}" is not a type of image`,
  ],
  [
    "image",
    { kind: "base64", mediaType: "image/PNG", data: begin(0x89, 80, 78, 71, 13, 10, 26, 10) },
    undefined,
  ],
  ["image", { kind: "base64", mediaType: "image/jpeg", data: begin(0xff, 0xd8, 0xff) }, undefined],
  [
    "image",
    { kind: "base64", mediaType: "image/jpeg", data: begin(0xff, 0xd8, 0xff).replaceAll("/", "_") },
    undefined,
  ],
  ["image", { kind: "base64", mediaType: "image/gif", data: btoa("GIF87a") }, undefined],
  ["image", { kind: "base64", mediaType: "image/gif", data: btoa("GIF89a more") }, undefined],
  ["image", { kind: "base64", mediaType: "image/webp", data: btoa("RIFF") }, undefined],
  ["image", { kind: "base64", mediaType: "image/bmp", data: btoa("BM") }, undefined],
  [
    "image",
    { kind: "base64", mediaType: "image/bmp", data: btoa("GIF") },
    "the image has the type image/bmp, but its bytes do not match",
  ],
])("a medium that is a %s is looked at as far as it can be, case %#", (type, source, fault) => {
  expect(findMediaFault(given({ type, source }))).toBe(fault);
});
