import type { CachedRef } from "../../core/cassette/cached-ref.ts";
import { wrongUsage } from "../../core/base/errors.ts";
import { offerUndo } from "./offer-undo.ts";
import type { ViewDeps } from "./view-deps.ts";
import type { MissingCall } from "../findings/findings-model.ts";
import { missedKey } from "../metagpt/missed-key-model.ts";

/** Gives a miss in MetaGPT's cache the answer of the nearest entry. */
export async function acceptNearestEntry(call: MissingCall, ref: CachedRef, deps: ViewDeps): Promise<void> {
  const { session, caches } = deps;
  const key = missedKey(call.miss);
  if (key === undefined)
    throw wrongUsage(
      `The key of this call holds a secret that Tapedeck redacted, so no entry can be written to ${ref.file}.`,
      "Record the test: MetaGPT then writes the entry.",
    );
  await caches.copyAnswer(ref, key);
  session.findings.dismiss([call]);
  const undo = async (): Promise<void> => {
    await caches.remove({ file: ref.file, digest: call.miss.key.slice("sha256:".length) });
    session.findings.recalled([call]);
  };
  offerUndo({ done: `Added an entry to ${ref.file} with the nearest entry's answer.`, undo }, deps);
}
