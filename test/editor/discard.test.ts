import { describe, expect, it } from "vitest";
import type { Recording } from "../../src/core/cassette/recording.ts";
import type { CassetteStore } from "../../src/core/cassette/store.ts";
import { discardRecordings } from "../../src/editor/discard.ts";
import { createSessionModel } from "../../src/editor/session-model.ts";
import type { SessionModel } from "../../src/editor/session-model.ts";
import { createMemoryStore } from "../../src/storage/memory-store.ts";
import { aCall, keyOf } from "./call-events.ts";

async function aFolderWith(...prompts: readonly string[]) {
  const store = createMemoryStore();
  const model = createSessionModel();
  const entries: string[] = [];
  for (const prompt of prompts) {
    const { entry } = await store.save(aRecording(prompt));
    model.called(aCall(prompt, { outcome: "recorded", mode: "record", entry }));
    entries.push(entry);
  }
  return { store, model, entries };
}

function aRecording(prompt: string): Recording {
  return {
    provider: "openai",
    operation: "chat.completions",
    key: keyOf(prompt),
    request: { method: "POST", path: "/v1/chat/completions", body: new TextEncoder().encode("{}") },
    reply: { status: 200, body: new TextEncoder().encode("{}") },
    recordedAt: "2026-01-01T00:00:00.000Z",
  };
}

/** As the watcher of the folder does whenever something in it changes. */
function look(store: CassetteStore, model: SessionModel): void {
  const prompts = ["one", "two"].flatMap((prompt) => store.takes("openai", keyOf(prompt)));
  model.folderChanged({
    hasKey: () => true,
    hasEntry: (entry) => prompts.some((take) => take.entry === entry),
  });
}

describe("discarding new recordings", () => {
  it("removes those, and no accepted one", async () => {
    const { store, model, entries } = await aFolderWith("one", "two");
    model.accepted(entries.slice(1));

    await discardRecordings(entries, store, model);

    expect((await store.list()).map(({ entry }) => entry)).toEqual(entries.slice(1));
    expect(model.state.candidates.size).toBe(0);
  });

  it("is undone wholly, also when the folder's watcher was quicker than the removal", async () => {
    const { store, model, entries } = await aFolderWith("one", "two");
    const watched: CassetteStore = {
      ...store,
      remove: async (entry) => {
        const removed = await store.remove(entry);
        look(store, model);
        return removed;
      },
    };

    const discarded = await discardRecordings(entries, watched, model);
    const left = await store.list();
    await discarded.undo();

    expect(left).toEqual([]);
    expect((await store.list()).map(({ entry }) => entry).sort()).toEqual([...entries].sort());
    expect([...model.state.candidates.keys()].sort()).toEqual([...entries].sort());
  });

  it("that cannot be removed leaves them new", async () => {
    const { store, model, entries } = await aFolderWith("one");
    const refusing: CassetteStore = { ...store, remove: () => Promise.reject(new Error("the disk refuses")) };

    await expect(discardRecordings(entries, refusing, model)).rejects.toThrow("the disk refuses");

    expect([...model.state.candidates.keys()]).toEqual(entries);
  });
});
