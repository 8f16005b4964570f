import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createAwaitedStore, createPending } from "../../src/deck/open-store.ts";
import { createFolderStore } from "../../src/storage/folder/folder-store.ts";
import { aFolder } from "../support/a-folder.ts";
import { aReplyOf } from "../support/a-recording.ts";

it("who waits for what is being written finds it whole, and nothing on its way", async () => {
  const dir = aFolder();
  const pending = createPending();
  const store = createAwaitedStore(createFolderStore(dir), pending, { noteWritten: () => {} });
  const saved = Array.from({ length: 8 }, (_, index) => store.save(aReplyOf("one", `question ${index}`)));
  const failing = store.replace("calls/openai/nowhere.json", aReplyOf("two")).catch(() => "failed");

  await pending.settled();

  const files = readdirSync(join(dir, "calls"), { recursive: true, encoding: "utf8" });
  expect(files.filter((name) => name.endsWith(".json"))).toHaveLength(8);
  expect(files.filter((name) => name.endsWith(".tmp"))).toEqual([]);
  expect(await Promise.all(saved)).toHaveLength(8);
  expect(await failing).toBe("failed");
});
