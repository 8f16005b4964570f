import type { Recording } from "../cassette/recording.ts";
import { operationRequest, protocolOf } from "../describe.ts";
import { tapedeckError, type TapedeckError } from "../errors.ts";
import type { ProviderTable } from "../protocol/registry.ts";
import { framingFor } from "../source/source.ts";
import { saidInStream } from "../source/whole.ts";
import { guardRecording, type Secrets } from "./guard.ts";

/**
 * A recording that no call made, as it may be written: it is searched for secrets as a recorded one is, and where the
 * project redacts, they are taken out of its reply.
 * @throws TapedeckError `tapedeck_refused` that says what it holds and where
 */
export async function admitRecording(
  recording: Recording,
  { providers, secrets }: { readonly providers: ProviderTable; readonly secrets: Secrets },
): Promise<Recording> {
  const protocol = protocolOf(recording, providers);
  const facts = protocol.facts(operationRequest(recording));
  const framing = framingFor({ protocol, facts }, recording.reply.contentType);
  const readText = ({ reply }: Recording): string => saidInStream({ protocol, framing }, reply);
  const guarded = await guardRecording({ recording, sent: recording.request, framing, readText }, secrets);
  if ("recording" in guarded) return guarded.recording;
  throw holdsSecret(guarded.found, secrets.policy() === "redact");
}

function holdsSecret(found: string, isRedacted: boolean): TapedeckError {
  return tapedeckError("tapedeck_refused", `This recording is not kept: ${found}.`, {
    hint: isRedacted
      ? "Take it out there."
      : 'Take it out there, or say in tapedeck.jsonc what to do: "secrets": "redact"; "allowSecrets" names what is no secret.',
  });
}
