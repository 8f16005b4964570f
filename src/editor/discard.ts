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
  for (const entry of entries.filter((one) => model.state.candidates.has(one))) {
    const recording = await store.remove(entry);
    const gone = model.discarded([entry]);
    removed.push({ recording, restore: () => model.restored(gone) });
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
