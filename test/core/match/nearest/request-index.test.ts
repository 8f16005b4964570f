import { expect, it } from "vitest";
import type { StoreChange } from "../../../../src/core/cassette/store.ts";
import { createRequestIndex } from "../../../../src/core/match/nearest/request-index.ts";
import { ruledRequest } from "../../../../src/core/match/rules/ruled-request.ts";
import { createMemoryStore } from "../../../../src/storage/memory-store.ts";
import { aRecording } from "../../../support/a-recording.ts";

it("a recording that changed while it was being read is looked at again, also where it is not told which did", async () => {
  const before = aRecording({ question: "Where is order 41 of last week?" });
  const after = aRecording({ question: "What is the capital of Italy?" });
  const below = createMemoryStore();
  const { entry } = await below.save(before);
  await below.save(aRecording({ question: "What is the capital of France, and of Spain?" }));
  const told: ((change: StoreChange) => void)[] = [];
  const store = {
    ...below,
    watch: (listener: (change: StoreChange) => void) => (told.push(listener), { dispose: () => undefined }),
    async read(wanted: string) {
      const read = await below.read(wanted);
      if (read === before) {
        await below.replace(entry, { ...after, key: before.key });
        for (const tell of told) tell({});
      }
      return read;
    },
  };
  const requests = createRequestIndex({ store, normaliser: () => undefined });
  await requests.current();

  const index = await requests.current();

  expect(index.alike(ruledRequest(after, undefined))[0]?.id).toBe(entry);
  requests.dispose();
});
