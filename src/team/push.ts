import type { Recording } from "../core/cassette/recording.ts";
import { explain, isTapedeckError } from "../core/errors.ts";
import { inPortions } from "../core/portions.ts";
import { faultOf } from "../remote/failures.ts";
import { readRecordingFile } from "../storage/team/put-recording.ts";
import { allOf, objectOf } from "./names.ts";
import { namesIn } from "./receive.ts";
import { send } from "./send.ts";
import type { Transfer } from "./transfer.ts";

export interface Pushed {
  readonly added: readonly string[];
  /** Entries whose names are taken there: by the same recording, or by another one of the same call. */
  readonly there: number;
  /** Entries that were not sent, and why, as sentences. */
  readonly kept: readonly { readonly entry: string; readonly why: string }[];
}

export interface Pushing extends Transfer {
  /** What the project says about secrets in what is written. @throws TapedeckError that says what it holds. */
  readonly admit: (recording: Recording) => Promise<Recording>;
  /** Entries; without it everything. */
  readonly only?: ReadonlySet<string>;
}

/**
 * Adds what is recorded here and is not there, each recording as its file has it.
 * @throws TapedeckError `tapedeck_remote` where the cache fails.
 */
export async function push(pushing: Pushing): Promise<Pushed> {
  const { folder, store, settings, signal, only, onProgress } = pushing;
  const { scope } = settings;
  const there = new Set(await namesIn(store, allOf(scope), signal));
  const own = (await folder.list()).filter(({ entry }) => only === undefined || only.has(entry));
  const absent = own.filter(({ entry }) => !there.has(objectOf(scope, entry)));
  const added: string[] = [];
  const kept: { readonly entry: string; readonly why: string }[] = [];
  let done = 0;
  await inPortions(absent, async ({ entry }) => {
    const why = await sendEntry(entry, pushing);
    if (why === "added") added.push(entry);
    else if (why !== "taken") kept.push({ entry, why });
    onProgress?.((done += 1), absent.length);
  });
  return { added: added.sort(), there: own.length - added.length - kept.length, kept };
}

/** Why it was not sent, where it was not. @throws what the store does. */
async function sendEntry(
  entry: string,
  { dir, folder, store, settings, signal, admit }: Pushing,
): Promise<string> {
  try {
    const recording = await folder.read(entry);
    if (!isSame(await admit(recording), recording)) return HOLDS_SECRET;
    const file = await readRecordingFile(dir, entry);
    return await send(entry, file, { store, signal, ...settings });
  } catch (error) {
    const fault = faultOf(error);
    // What is wrong with the cache ends it, and not what is wrong with one recording or its place there.
    if (!isTapedeckError(error) || (fault !== undefined && fault !== "object")) throw error;
    return explain(error);
  }
}

const HOLDS_SECRET = "It holds what the project redacts: record it anew, or see tapedeck check.";

/** Where something was redacted, another recording comes back. */
function isSame(admitted: Recording, { reply }: Recording): boolean {
  return Buffer.compare(admitted.reply.body, reply.body) === 0;
}
