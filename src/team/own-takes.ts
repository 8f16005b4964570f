import { localize } from "../core/base/localize.ts";
import type { Recording } from "../core/cassette/recording.ts";
import type { CassetteStore } from "../core/cassette/store.ts";
import { explain, isTapedeckError } from "../core/base/errors.ts";
import { readRecordingFile } from "../storage/team/recording-files.ts";
import type { CallName } from "../core/cassette/address.ts";
import type { TakeFile } from "./team-object.ts";

/** The recordings of the workspace, without those of the team. */
export interface OwnRecordings {
  /** The cassette folder, absolute. */
  readonly dir: string;
  readonly folder: Pick<CassetteStore, "takes" | "read">;
  /** Applies the rules of the project about secrets. @throws TapedeckError that names the secrets in a recording */
  readonly admit: (recording: Recording) => Promise<Recording>;
}

/** A recording that must not be uploaded, and why, as sentences. */
export interface KeptRecording {
  readonly entry: string;
  readonly why: string;
}

/** Reads all takes of a call, as they may be uploaded. */
export async function readOwnTakes(
  { provider, key }: CallName,
  { dir, folder, admit }: OwnRecordings,
): Promise<{ readonly takes: readonly TakeFile[] } | KeptRecording> {
  const takes: TakeFile[] = [];
  for (const { entry } of folder.takes(provider, key)) {
    try {
      const recording = await folder.read(entry);
      const admitted = await admit(recording);
      // If something was redacted, the reply is another one.
      if (Buffer.compare(admitted.reply.body, recording.reply.body) !== 0)
        return {
          entry,
          why: localize(
            "It contains a secret that the project redacts. Record it again, or run tapedeck check.",
          ),
        };
      takes.push({ ...(await readRecordingFile(dir, entry)), recordedAt: recording.recordedAt });
    } catch (error) {
      if (!isTapedeckError(error)) throw error;
      return { entry, why: explain(error) };
    }
  }
  return { takes };
}
