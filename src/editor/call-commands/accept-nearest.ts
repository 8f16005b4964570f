import { wrongUsage } from "../../core/errors.ts";
import { COMMANDS } from "../window/ids.ts";
import { acceptedNearest, cannotAccept } from "./accept-nearest-model.ts";
import { missingOf } from "./command-targets.ts";
import type { CommandTable } from "../window/commands.ts";
import type { ViewDeps } from "./view-deps.ts";
import { flashStatus } from "../window/messages.ts";
import type { MissingCall } from "../session/missing-calls-model.ts";

/** Answers a missing call with what the nearest recording replied: for a change that does not matter. */
export function acceptNearestCommands(deps: ViewDeps): CommandTable {
  return {
    [COMMANDS.acceptNearest]: async (...args) => {
      const [call] = await missingOf(args, deps, "Accept the nearest recording's reply for a missing call");
      if (call) await acceptNearest(call, deps);
    },
  };
}

async function acceptNearest({ miss, test }: MissingCall, { session }: ViewDeps): Promise<void> {
  const { nearest } = miss;
  if (nearest === undefined) {
    throw wrongUsage(
      "Nothing of this kind is recorded yet, so there is no nearest recording.",
      "Record the call, or write the reply by hand.",
    );
  }
  const reason = cannotAccept(nearest.differences);
  if (reason) throw reason;
  const { store } = session.deck;
  // Another window or a run may have answered it since this page was opened.
  if (store.takes(miss.provider, miss.key).length === 0) {
    const recordedAt = new Date();
    const accepted = acceptedNearest({
      miss,
      nearest: await store.read(nearest.entry),
      recordedAt: recordedAt.toISOString(),
      ...(test && { test }),
    });
    const recording = await session.deck.admit(accepted);
    const { entry } = await store.save(recording);
    const { test: maker } = recording;
    await session.propose({ entry, recordedAt: recordedAt.getTime(), ...(maker && { test: maker }) });
  }
  flashStatus("check", "The nearest recording's reply answers this call now", 5_000);
}
