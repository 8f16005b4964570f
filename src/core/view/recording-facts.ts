import type { TestRef } from "../call/call.ts";
import { pickDefined } from "../base/pick-defined.ts";
import { attempt } from "../base/errors.ts";
import type { Recording } from "../cassette/recording.ts";
import type { ReportedUsage } from "../protocol/base/protocol.ts";
import type { ProviderTable } from "../protocol/registry.ts";
import { readTurnFacts, type TurnFacts } from "./conversation/turn-facts.ts";
import { describeRecording } from "./describe.ts";

/** The facts of a recording that lists and trees show without reading its file. */
export interface RecordingFacts {
  readonly operation: string;
  /** The model in the request. */
  readonly model?: string;
  /** ISO 8601, UTC. */
  readonly recordedAt: string;
  /** The test that first made the call. */
  readonly test?: TestRef;
  readonly status: number;
  /** Sizes of the request body and the reply body. */
  readonly bytes: readonly [request: number, reply: number];
  /** Absent if the body is not valid for its operation. */
  readonly described?: DescribedFacts;
}

/** The part of the facts that is read from the conversation and the reply. */
export interface DescribedFacts {
  readonly label: string;
  readonly turn: TurnFacts;
  readonly usage?: ReportedUsage;
  /** The model in the reply. */
  readonly replyModel?: string;
}

/** Reads the facts of a recording. */
export function readFacts(recording: Recording, providers: ProviderTable): RecordingFacts {
  const { operation, recordedAt, test, request, reply } = recording;
  const view = attempt(
    () => describeRecording(recording, providers),
    () => undefined,
  );
  const described = view && {
    label: view.facts.label,
    turn: readTurnFacts(view),
    ...pickDefined({ usage: view.projection.usage, replyModel: view.projection.model }),
  };
  return {
    operation,
    recordedAt,
    status: reply.status,
    bytes: [request.body.byteLength, reply.body.byteLength],
    ...pickDefined({ model: recording.model ?? view?.facts.model, test, described }),
  };
}
