import type { TestRef } from "../call/call.ts";
import { pickDefined } from "../base/pick-defined.ts";
import { attempt } from "../base/errors.ts";
import type { Recording } from "../cassette/recording.ts";
import type { ReportedUsage } from "../protocol/base/protocol.ts";
import type { ProviderTable } from "../protocol/registry.ts";
import { describeReply, describeRequest } from "./describe.ts";
import { labelCall } from "./row.ts";
import { countBilledUnits, type BilledUnits } from "./prices/billed-units.ts";
import { readOperationRequest } from "../match/read-request.ts";

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
  /** The label as `labelCall` returns it. */
  readonly asked: string;
  readonly usage?: ReportedUsage;
  /** The model in the reply. */
  readonly replyModel?: string;
  /** The amounts that are billed apart from tokens. */
  readonly units?: BilledUnits;
}

/** Reads the facts of a recording. */
export function readFacts(recording: Recording, providers: ProviderTable): RecordingFacts {
  const { operation, recordedAt, test, request, reply } = recording;
  const described = attempt(
    () => describeFacts(recording, providers),
    () => undefined,
  );
  return {
    operation,
    recordedAt,
    status: reply.status,
    bytes: [request.body.byteLength, reply.body.byteLength],
    ...pickDefined({ model: recording.model ?? described?.model, test, described: described?.facts }),
  };
}

function describeFacts(recording: Recording, providers: ProviderTable) {
  const view = describeRequest(recording, providers);
  const { label, model } = view.facts;
  const { usage, model: replyModel } = describeReply(recording, providers, { model }).projection;
  const units = countBilledUnits(recording.operation, () => readOperationRequest(recording), recording.reply);
  const facts: DescribedFacts = {
    label,
    asked: labelCall(view),
    ...pickDefined({ usage, replyModel, units }),
  };
  return { facts, model };
}
