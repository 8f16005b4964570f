import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFolderStore, listStrays } from "../../src/storage/folder/folder-store.ts";
import { anEngine, aRun, chatCall, chatEvent, DONE, recordCall, streamReply } from "../support/an-engine.ts";
import { aFolder } from "../support/a-folder.ts";
import { aReplyOf } from "../support/a-recording.ts";

describe("a clock that is set back", () => {
  it("between calls and within a stream loses nothing: takes keep their order, waits are never negative", async () => {
    const dir = aFolder();
    const under = anEngine(
      () =>
        streamReply(
          (async function* () {
            yield chatEvent("one");
            under.clock.advance(-3_600_000);
            yield chatEvent("two");
            under.clock.advance(-86_400_000 * 365);
            yield DONE;
          })(),
        ),
      { store: createFolderStore(dir) },
    );
    const run = aRun("record");

    const outcomes: string[] = [];
    for (let call = 0; call < 3; call += 1) {
      outcomes.push((await recordCall(under, chatCall(run, "hi", { stream: true }))).outcome);
    }

    const store = createFolderStore(dir);
    const recordings = await Promise.all((await store.list()).map(({ entry }) => store.read(entry)));
    expect(outcomes).toEqual(["recorded", "recorded", "recorded"]);
    expect(recordings).toHaveLength(3);
    expect(recordings.flatMap(({ reply }) => reply.waitsMs ?? []).filter((wait) => wait < 0)).toEqual([]);
    const times = recordings.map(({ recordedAt }) => recordedAt);
    expect(times).toEqual(times.toSorted().toReversed());
  });
});

describe("names that differ only in case", () => {
  it("are different files: a file beside a recording is neither read in its place nor overwritten", async () => {
    const dir = aFolder();
    const store = createFolderStore(dir);
    const { entry, provider, key } = await store.save(aReplyOf("mine"));
    const folder = join(dir, dirname(entry));
    const upper = basename(entry).replace(/^[0-9a-f]+/, (hex) => hex.toUpperCase());
    const other = join(folder, upper);
    // On a file system that knows no case this is the recording itself: then there is nothing to tell apart.
    if (existsSync(other)) return;
    writeFileSync(other, "theirs");
    mkdirSync(join(dir, "calls", provider.toUpperCase()));

    const again = await store.save(aReplyOf("second"));

    expect(again).toMatchObject({ take: 2 });
    expect(store.takes(provider, key)).toHaveLength(2);
    expect(readFileSync(other, "utf8")).toBe("theirs");
    expect(listStrays(dir).map(({ path }) => basename(path))).toContain(upper);
    expect(readdirSync(folder)).toHaveLength(3);
  });
});
