import { symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFolderStore } from "../../../src/storage/folder/folder-store.ts";
import { updateLocal, readLocalState } from "../../../src/storage/local/local-state.ts";
import { readBytes, readText } from "../../../src/storage/folder/read-file.ts";
import { rspCacheFolder } from "../../../src/systems/metagpt/cache/rsp-cache-folder.ts";
import { aFolder } from "../../support/a-folder.ts";
import { aRecording, aReplyOf, sha256 } from "../../support/a-recording.ts";
import { replyOf } from "../../support/reply-of.ts";
import { makeOdd, ODD_FILES } from "../../support/odd-files.ts";

describe.skipIf(process.platform === "win32")("what is no file (Windows has no such files)", () => {
  it.each(Object.keys(ODD_FILES))(
    "%s in a recording's place is reported as broken and never replaced",
    async (kind) => {
      const dir = aFolder();
      const store = createFolderStore(dir);
      const { entry } = await store.save(aReplyOf("once"));
      await makeOdd(kind, join(dir, entry));

      await expect(store.read(entry)).rejects.toMatchObject({ code: "tapedeck_cassette" });
      await expect(replyOf(store, entry)).rejects.toMatchObject({ code: "tapedeck_cassette" });
      await expect(store.replace(entry, aReplyOf("anew"), "the old content")).rejects.toMatchObject({
        code: "tapedeck_cassette",
      });
    },
  );

  it.each(Object.keys(ODD_FILES))("%s in a blob's place is a blob that is missing", async (kind) => {
    const dir = aFolder();
    const store = createFolderStore(dir);
    const body = new Uint8Array(70_000).fill(200);
    const { entry } = await store.save(aRecording({ reply: { contentType: "audio/mpeg", body } }));
    await makeOdd(kind, join(dir, "blobs", sha256(body)));

    await expect(store.read(entry)).rejects.toThrow(/blob/);
  });

  it.each(Object.keys(ODD_FILES))("%s in the place of a state of this machine begins anew", async (kind) => {
    const dir = aFolder();
    await updateLocal(dir, "usage", () => ({ some: "use" }));
    await makeOdd(kind, join(dir, ".local", "usage.json"));

    const { value, broken } = await readLocalState(dir, "usage");

    expect(value).toBeUndefined();
    expect(broken).toContain("starts again empty");
  });

  it.each(Object.keys(ODD_FILES).filter((kind) => !kind.includes("MiB")))(
    "%s in a lock's place is reported without waiting",
    async (kind) => {
      const dir = aFolder();
      await updateLocal(dir, "usage", () => ({ some: "use" }));
      await makeOdd(kind, join(dir, ".local", "usage.lock"));

      await expect(updateLocal(dir, "usage", () => ({ more: "use" }))).rejects.toThrow("Delete it");
    },
  );

  it.each(Object.keys(ODD_FILES))(
    "%s in the place of an entry of a response cache is a failure",
    async (kind) => {
      const dir = aFolder();
      await makeOdd(kind, join(dir, `${"ab".repeat(32)}.json`));

      await expect(rspCacheFolder(dir).read()).rejects.toMatchObject({ code: "tapedeck_cassette" });
    },
  );
});

it("state of this machine behind a link is not read", async () => {
  const elsewhere = aFolder();
  await updateLocal(elsewhere, "usage", () => ({ some: "use" }));
  const dir = aFolder();
  symlinkSync(join(elsewhere, ".local"), join(dir, ".local"), "junction");

  expect(await readLocalState(dir, "usage")).toEqual({ value: undefined });
});

it("a large file is read whole, and one beyond the limit not at all", async () => {
  const path = join(aFolder(), "large.txt");
  const text = "0123456789abcdef".repeat(1_048_576);
  writeFileSync(path, text);

  const read = await readText(path);
  truncateSync(path, 1_048_576);

  expect(read).toBe(text);
  await expect(readBytes(path, { most: 1_048_575 })).rejects.toMatchObject({ code: "TOO_LARGE" });
  expect(await readBytes(path, { most: 1_048_576 })).toHaveLength(1_048_576);
});
