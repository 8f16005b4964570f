import { linkSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { decodeText } from "../../../../src/core/base/wire/text.ts";
import { convertCacheEntryToRecording } from "../../../../src/systems/metagpt/cache/as-recording.ts";
import {
  answerText,
  cacheText,
  parseCacheText,
  readCache,
} from "../../../../src/systems/metagpt/cache/cache-text.ts";
import {
  createResponseCache,
  type ResponseCache,
} from "../../../../src/systems/metagpt/cache/response-cache.ts";
import { removeCacheEntry, rspCacheFile } from "../../../../src/systems/metagpt/cache/rsp-cache-file.ts";
import { rspCacheFolder } from "../../../../src/systems/metagpt/cache/rsp-cache-folder.ts";
import { aFolder } from "../../../support/a-folder.ts";

test("nothing is written when nothing changed, and no file is made for nothing [MG-I7, MG-D6]", async () => {
  const folder = aFolder();
  const path = join(folder, "rsp_cache.json");
  writeFileSync(path, '{"k":"v"}');
  const before = statSync(path).mtimeMs;
  const cache = createResponseCache(rspCacheFile(path));
  const fresh = createResponseCache(rspCacheFile(join(folder, "rsp_cache_new.json"), { startsEmpty: true }));

  await cache.load();
  const wrote = [await cache.save(), await fresh.save()];
  cache.set("k", "v");
  wrote.push(await cache.save());

  expect(wrote).toEqual([false, false, false]);
  expect([readFileSync(path, "utf8"), statSync(path).mtimeMs]).toEqual(['{"k":"v"}', before]);
  expect(readdirSync(folder)).toEqual(["rsp_cache.json"]);
});

test("a file is replaced as a whole: who has it open reads the old one to its end [MG-I7]", async () => {
  const folder = aFolder();
  const [path, opened] = [join(folder, "rsp_cache.json"), join(folder, "opened")];
  writeFileSync(path, '{"k":"v"}');
  // A second name stays with the old file, as what is open does.
  linkSync(path, opened);
  const cache = createResponseCache(rspCacheFile(path));
  await cache.load();

  cache.set("new", "v");
  const wrote = await cache.save();

  expect(wrote).toBe(true);
  expect(readFileSync(opened, "utf8")).toBe('{"k":"v"}');
  expect([...new Map(parseCacheText(readFileSync(path, "utf8"))).keys()]).toEqual(["k", "new"]);
});

test("an answer that replaces a known one is written, and saving reports the change [MG-I2]", async () => {
  const path = join(aFolder(), "rsp_cache.json");
  writeFileSync(path, '{"k": "v", "gone": "v"}');
  const [cache, other] = [createResponseCache(rspCacheFile(path)), createResponseCache(rspCacheFile(path))];
  await cache.load();
  await other.load();

  cache.set("k", "another");
  cache.delete("gone");
  cache.set("gone", "back");
  other.set("new", "theirs");
  await other.save();
  const wrote = [await cache.save(), await cache.save()];
  cache.set("late", "mine");
  other.set("late", "theirs");
  await other.save();
  const late = await cache.save();

  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
    k: "another",
    gone: "back",
    new: "theirs",
    late: "theirs",
  });
  expect([...wrote, late]).toEqual([true, false, false]);
  expect(cache.get("late")).toBe("theirs");
});

test("answers that others saved meanwhile stay: of two answers to a key the first wins [MG-I7, MG-D7]", async () => {
  const path = join(aFolder(), "rsp_cache.json");
  const caches = Array.from({ length: 24 }, () => createResponseCache(rspCacheFile(path)));

  await Promise.all(caches.map((cache) => cache.load()));
  caches.forEach((cache, index) => {
    cache.set(`own ${index}`, "v");
    cache.set("shared", `by ${index}`);
  });
  await Promise.all(caches.map((cache) => cache.save()));

  const stored = new Map(parseCacheText(readFileSync(path, "utf8")));
  expect(stored.size).toBe(25);
  expect(caches.map((cache) => cache.get("shared"))).toContain(stored.get("shared"));
  expect(readdirSync(join(path, "..")).filter((name) => name !== "rsp_cache.json")).toEqual([]);
});

test("a broken file is never written, and its first bad position is reported", async () => {
  const folder = aFolder();
  const broken: Readonly<Record<string, [text: string | Uint8Array, at: string]>> = {
    "cut.json": ['{\n  "a": "b",\n  "c', ":3:"],
    "twice.json": ['{\n  "a": "b",\n  "a": "c"\n}', ":3:3"],
    "list.json": ["[1]", ":1:1"],
    "latin1.json": [Buffer.from('{\n "a": "\xe9"}', "latin1"), ":2:8"],
    "empty.json": ["", ":1:1"],
  };
  for (const [name, [text, at]] of Object.entries(broken)) {
    const path = join(folder, name);
    writeFileSync(path, text);
    const cache = createResponseCache(rspCacheFile(path, { shown: name }));
    cache.set("k", "v");

    await expect(cache.load()).rejects.toThrow(`${name}${at}`);
    await expect(cache.save()).rejects.toThrow("cannot be read");
    expect(Buffer.compare(readFileSync(path), Buffer.from(text as string))).toBe(0);
  }
});

test("a file that is a link keeps being one", async () => {
  const folder = aFolder();
  const [target, link] = [join(folder, "target.json"), join(folder, "rsp_cache.json")];
  writeFileSync(target, "{}");
  symlinkSync(target, link);
  const cache = createResponseCache(rspCacheFile(link));

  cache.set("k", "v");
  await cache.save();

  expect(readFileSync(target, "utf8")).toBe('{\n    "k": "v"\n}');
});

test("a folder of small files keeps the same entries [MG-I2]", async () => {
  const dir = join(aFolder(), "cache");
  const write = (): ResponseCache => createResponseCache(rspCacheFolder(dir));
  const first = write();

  await first.load();
  first.set("a", "1");
  first.set("b", { members: [["x", { number: "1.0" }]] });
  await first.save();
  const second = write();
  await second.load();
  second.delete("a");
  await second.save();
  const third = write();
  await third.load();

  expect(second.get("b")).toEqual(first.get("b"));
  expect(third.keys()).toEqual(["b"]);
  expect(readdirSync(dir)).toHaveLength(1);
});

test("every entry's place in the text is known, and a broken text is reported", () => {
  const text = '{\n    "a": "1",\n    "b\\n": {"x": "y"}\n}';

  const places = readCache(text);

  expect(places.map(({ key, line, column }) => [key, line, column])).toEqual([
    ["a", 2, 5],
    ["b\n", 3, 5],
  ]);
  expect(places.map((place) => answerText(text, place))).toEqual(['"1"', '{"x": "y"}']);
  expect(() => readCache('{"a": 1, "a": 2}')).toThrow("appears twice");
});

test("a removed entry can be restored beside those that are left, unless its key exists again", async () => {
  const path = join(aFolder(), "rsp_cache.json");
  const write = (...keys: readonly string[]): void =>
    writeFileSync(path, cacheText(keys.map((key) => [key, { number: "1.0" }])));
  const keys = (): readonly string[] => readCache(readFileSync(path, "utf8")).map(({ key }) => key);

  write("a", "b", "c");
  const removed = await removeCacheEntry(path, "b");
  expect(keys()).toEqual(["a", "c"]);
  await removed.restore();
  expect(keys()).toEqual(["a", "b", "c"]);
  expect(readFileSync(path, "utf8")).toContain('"b": 1.0');
  await expect(removed.restore()).rejects.toThrow("has an entry of this key again");

  write("x", "c");
  await removed.restore();
  expect(keys()).toEqual(["x", "c", "b"]);
  await expect(removeCacheEntry(path, "none")).rejects.toMatchObject({
    message: expect.stringContaining("no longer has this entry") as string,
    hint: "It was deleted meanwhile; nothing was changed.",
  });
  writeFileSync(path, Uint8Array.of(0x7b, 0x0a, 0xff));
  await expect(removeCacheEntry(path, "x", "shown")).rejects.toThrow("it is not UTF-8 text.");
});

test.each<readonly [key: string, messages: readonly object[]]>([
  [
    "a#MSG_SEP#b#SYSTEM_MSG_END#c#MSG_SEP#d",
    [
      { role: "system", content: "a" },
      { role: "system", content: "b" },
      { role: "user", content: "c" },
      { role: "user", content: "d" },
    ],
  ],
  ['[{"role": "user", "content": "x"}]', [{ role: "user", content: "x" }]],
])("an entry of the key %s is shown as a recording", (text, messages) => {
  const of = { key: "sha256:00", recordedAt: "2026-01-02T03:04:05.000Z" } as const;
  const { request, reply, ...facts } = convertCacheEntryToRecording([text, "said"], of);

  expect(facts).toEqual({ provider: "openai", operation: "chat.completions", ...of });
  expect([request.method, request.path, JSON.parse(decodeText(request.body))]).toEqual([
    "POST",
    "/v1/chat/completions",
    { model: "MetaGPT", messages },
  ]);
  expect([reply.status, reply.contentType, JSON.parse(decodeText(reply.body))]).toEqual([
    200,
    "application/json",
    { choices: [{ index: 0, message: { role: "assistant", content: "said" }, finish_reason: "stop" }] },
  ]);
});
