import type { CassetteStore, RemovedRecording } from "../core/cassette/store.ts";
import type { SessionModel } from "./session-model.ts";
import type { Undoable } from "./session.ts";

/** Removes candidates one by one. What was removed before a failure is out of the model too. @throws TapedeckError. */
export async function discardRecordings(
  entries: readonly string[],
  store: CassetteStore,
  model: SessionModel,
): Promise<Undoable> {
  const removed: { readonly recording: RemovedRecording; readonly restore: () => void }[] = [];
  for (const entry of entries) {
    // First, because the folder's watcher takes candidates out as well, for good.
    const gone = model.discarded([entry]);
    if (gone.length === 0) continue;
    const restore = (): void => model.restored(gone);
    try {
      removed.push({ recording: await store.remove(entry), restore });
    } catch (error) {
      restore();
      throw error;
    }
  }
  return {
    async undo() {
      for (const { recording, restore } of removed) {
        await recording.restore();
        restore();
      }
    },
  };
}
