import type { OnCached } from "../server/cache-notes.ts";
import type { CachedCallsParts } from "./cached-call-events.ts";

/** Turns the notes of MetaGPT's hook into call events; the first note loads what that takes. */
export function loadCachedCallsLater(parts: CachedCallsParts): OnCached {
  let loaded: Promise<OnCached> | undefined;
  return async (note) => {
    loaded ??= import("./cached-call-events.ts").then(({ createCachedCalls }) => createCachedCalls(parts));
    await (
      await loaded
    )(note);
  };
}
