import fs, { readdirSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createFolderStore } from "../../../src/storage/folder/folder-store.ts";
import { aFolder } from "../../support/a-folder.ts";
import { replyOf } from "../../support/reply-of.ts";
import { aReplyOf, textOf } from "../../support/a-recording.ts";

/** Has the system refuse every hard link. */
function refuseLinks(code: string): void {
  const { linkSync } = fs;
  const set = (to: typeof linkSync): void => {
    fs.linkSync = to;
    syncBuiltinESMExports();
  };
  set(() => {
    throw Object.assign(new Error(code), { code });
  });
  onTestFinished(() => set(linkSync));
}

it.each(["EPERM", "ENOTSUP", "ENOSYS"])(
  "where links are refused with %s, recordings are kept all the same",
  async (code) => {
    refuseLinks(code);
    const dir = join(aFolder(), ".tapedeck");
    const store = createFolderStore(dir);

    const texts = ["one", "two", "three"];
    const saved = await Promise.all(texts.map((text) => store.save(aReplyOf(text))));
    const replies = await Promise.all(saved.map(({ entry }) => replyOf(store, entry)));

    expect(replies.map(({ body }) => textOf(body))).toEqual(texts.map((text) => JSON.stringify({ text })));
    expect(saved.map(({ take }) => take).toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
    expect(
      readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((file) => /tmp/.test(file)),
    ).toEqual([]);
  },
);

it("another failure of a link is one", async () => {
  refuseLinks("EIO");
  const store = createFolderStore(join(aFolder(), ".tapedeck"));

  await expect(store.save(aReplyOf("one"))).rejects.toThrow("the disk reported an error");
});
