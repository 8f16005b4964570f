import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import type { StoreChange } from "../../../src/core/cassette/store.ts";
import type { Normaliser } from "../../../src/core/match/key/key.ts";
import { createMemoryStore } from "../../../src/storage/memory-store.ts";
import { createRekeyedStore } from "../../../src/storage/keys/rekeyed-store.ts";
import { aRecording } from "../../support/a-recording.ts";

const asIs: Normaliser = { body: ({ body }) => body, headers: () => undefined };

it("finds a recording by what it asks now, also where that changed while the others were still being read", async () => {
  const [before, after] = [aRecording({ question: "Before?" }), aRecording({ question: "After?" })];
  const below = createMemoryStore();
  const { entry } = await below.save(before);
  const other = await below.save(aRecording({ question: "Something else?" }));
  const store = createRekeyedStore(
    {
      ...below,
      async read(wanted) {
        if (wanted === other.entry) {
          await setImmediate();
          await below.replace(entry, { ...after, key: before.key, exactKey: after.key });
        }
        return below.read(wanted);
      },
    },
    { normaliser: () => asIs },
  );

  await store.settle(before.provider, before.key);
  await store.settle(after.provider, after.key);

  expect(store.takes(after.provider, after.key).map((take) => take.entry)).toEqual([entry]);
  expect(store.takes(before.provider, before.key)).toEqual([]);
  store.release();
});

it("reads again after a folder that could not be read for a while", async () => {
  const [before, after] = [aRecording({ question: "Before?" }), aRecording({ question: "After?" })];
  const below = createMemoryStore();
  const { entry } = await below.save(before);
  let isReadable = true;
  const list: typeof below.list = () =>
    isReadable ? below.list() : Promise.reject(new Error("EIO: i/o error"));
  const store = createRekeyedStore({ ...below, list }, { normaliser: () => asIs });
  await store.settle(before.provider, before.key);

  isReadable = false;
  await below.replace(entry, { ...after, key: before.key, exactKey: after.key });
  await expect(store.settle(before.provider, before.key)).rejects.toThrow("EIO");
  isReadable = true;
  await store.settle(before.provider, before.key);

  expect(store.takes(before.provider, before.key)).toEqual([]);
  store.release();
});

it("reads again what was being read when all that is known was said to have changed", async () => {
  const [before, after] = [aRecording({ question: "Before?" }), aRecording({ question: "After?" })];
  const below = createMemoryStore();
  const { entry } = await below.save(before);
  const told: ((change: StoreChange) => void)[] = [];
  const store = createRekeyedStore(
    {
      ...below,
      watch: (listener) => (told.push(listener), { dispose: () => undefined }),
      async read(wanted) {
        const read = await below.read(wanted);
        if (read === before) {
          await below.replace(entry, { ...after, key: before.key, exactKey: after.key });
          for (const tell of told) tell({});
        }
        return read;
      },
    },
    { normaliser: () => asIs },
  );

  await store.settle(before.provider, before.key);
  await store.settle(after.provider, after.key);

  expect(store.takes(after.provider, after.key).map((take) => take.entry)).toEqual([entry]);
  store.release();
});
