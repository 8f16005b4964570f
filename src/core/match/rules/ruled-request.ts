import type { CassetteStore } from "../../cassette/store.ts";
import { operationRequest, type DescribedRequest, type OperationRequest } from "../../describe.ts";
import { normaliseRequest, type Normaliser, type KeyedRequest } from "../key/key.ts";

/** A recorded or missed request as its key sees it. @throws TapedeckError where its body cannot be read. */
export function ruledRequest(
  described: DescribedRequest,
  normalise: Normaliser | undefined,
): OperationRequest {
  return normaliseRequest(operationRequest(described), normalise);
}

/** A recorded request as the rules of now leave it. */
export interface RuledRecording {
  readonly entry: string;
  readonly request: KeyedRequest;
  /** When it was made, in ISO 8601. */
  readonly recordedAt?: string;
}

/** Undefined for a broken recording: it is nobody's nearest, and reported where recordings are checked. */
export async function readRuled(
  entry: string,
  store: CassetteStore,
  normalise: Normaliser | undefined,
): Promise<RuledRecording | undefined> {
  try {
    const recording = await store.read(entry);
    return { entry, request: ruledRequest(recording, normalise), recordedAt: recording.recordedAt };
  } catch {
    return undefined;
  }
}
