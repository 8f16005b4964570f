import type { Recording } from "../core/cassette/recording.ts";
import type { ProviderTable } from "../core/protocol/registry.ts";
import { admitRecording } from "../core/secrets/guard.ts";
import type { DeckProject } from "./project.ts";

/** Applies the rules of a project about secrets to a recording. @throws TapedeckError that names the secrets in it */
export type Admit = (recording: Recording) => Promise<Recording>;

export function createAdmit(
  project: Pick<DeckProject, "refresh" | "secrets">,
  providers: ProviderTable,
): Admit {
  return async (recording) => {
    await project.refresh();
    return admitRecording(recording, { providers, secrets: project.secrets });
  };
}
