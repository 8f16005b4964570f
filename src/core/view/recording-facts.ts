import type { TestRef } from "../call/call.ts";
import { pickDefined } from "../base/pick-defined.ts";
import { attempt } from "../base/errors.ts";
import type { Recording } from "../cassette/recording.ts";
import { readReplyCounts } from "../protocol/base/counts.ts";
import type { Protocol, ProtocolRequest, ReplyCounts, ReportedUsage } from "../protocol/base/protocol.ts";
import type { ProviderTable } from "../protocol/registry.ts";
import { labelRequest } from "./row.ts";
import { countBilledUnits, type BilledUnits } from "./prices/billed-units.ts";
import { findProtocol, readOperationRequest } from "../match/read-request.ts";

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

/** The parts of a recording from which its facts are read. */
export interface FactsSource extends Pick<Recording, "operation" | "recordedAt"> {
  readonly model: string | undefined;
  readonly test: TestRef | undefined;
  readonly status: number;
  readonly bytes: RecordingFacts["bytes"];
  readonly protocol: Protocol;
  /** @throws TapedeckError if its body cannot be read */
  readonly readRequest: () => ProtocolRequest;
  readonly readCounts: () => ReplyCounts;
  readonly countUnits?: () => BilledUnits | undefined;
}

/** Reads the facts of a recording. */
export function readFacts(recording: Recording, providers: ProviderTable): RecordingFacts {
  const { operation, recordedAt, model, test, request, reply } = recording;
  const protocol = findProtocol(recording, providers);
  const readRequest = (): ProtocolRequest => readOperationRequest(recording);
  return collectFacts({
    operation,
    recordedAt,
    model,
    test,
    status: reply.status,
    bytes: [request.body.byteLength, reply.body.byteLength],
    protocol,
    readRequest,
    readCounts: () => readReplyCounts(protocol, reply),
    countUnits: () => countBilledUnits(operation, readRequest, reply),
  });
}

export function collectFacts(source: FactsSource): RecordingFacts {
  const { operation, recordedAt, status, bytes, model, test } = source;
  const described = attempt(
    () => describeFacts(source),
    () => undefined,
  );
  return {
    operation,
    recordedAt,
    status,
    bytes,
    ...pickDefined({ model: model ?? described?.model, test, described: described?.facts }),
  };
}

function describeFacts({ protocol, readRequest, readCounts, countUnits }: FactsSource) {
  const request = readRequest();
  const facts = protocol.facts(request);
  const requestLabel = labelRequest(facts, () => protocol.conversation(request));
  const { usage, model: replyModel } = readCounts();
  const described: DescribedFacts = {
    label: facts.label,
    asked: requestLabel,
    ...pickDefined({ usage, replyModel, units: countUnits?.() }),
  };
  return { facts: described, model: facts.model };
}
