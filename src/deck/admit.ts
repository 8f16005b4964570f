import { createWrongUsage } from "../core/base/errors.ts";
import { localize } from "../core/base/localize.ts";
import type { Miss } from "../core/call/call.ts";
import { SESSION_TYPE } from "../core/call/transcript.ts";
import type { Recording } from "../core/cassette/recording.ts";
import { findProtocol, readOperationRequest } from "../core/match/read-request.ts";
import type { ReplyDraft } from "../core/protocol/base/protocol.ts";
import type { ProviderTable } from "../core/protocol/registry.ts";
import { admitRecording } from "../core/secrets/guard.ts";
import { describeRecordingOfMiss } from "../core/view/miss.ts";
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

/**
 * Returns a recording of a missing call with a handwritten reply, in the format of its operation.
 * @throws TapedeckError for a session, and for tool calls if the operation has none
 */
export function composeRecording(miss: Miss, draft: ReplyDraft, providers: ProviderTable): Recording {
  const protocol = findProtocol(miss, providers);
  const reply = protocol.compose(draft, readOperationRequest(miss));
  if (reply.contentType === SESSION_TYPE)
    throw createWrongUsage(
      localize("The reply of a session cannot be written, because it answers each message of the client."),
      localize("Record the test that makes the call."),
    );
  if (draft.toolCalls !== undefined && draft.toolCalls.length > 0 && protocol.composesToolCalls !== true)
    throw createWrongUsage(
      localize("A reply to {0} {1} has no tool calls.", miss.provider, miss.operation),
      localize("Write a text, or record the test that makes the call."),
    );
  const recordedAt = new Date().toISOString();
  return describeRecordingOfMiss(miss, { status: 200, ...reply }, { recordedAt });
}
