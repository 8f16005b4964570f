import { localize } from "../../base/localize.ts";
import type { Key, Mode, Run } from "../../call/call.ts";
import {
  createCoincidingSource,
  createRecordingsSource,
  createSettledAnswer,
  type ReplayOptions,
} from "./recordings.ts";
import type { UpstreamParts } from "./forward.ts";
import type { KeepMode } from "./save.ts";
import type { AnswerSource } from "./source.ts";

export interface SourceParts extends UpstreamParts, Omit<ReplayOptions, "growsTakes"> {
  /** Absent if no team cache is named. */
  readonly fetchMissing?: FetchMissing | undefined;
  /** Answers calls of lenient mode that are not recorded. */
  readonly lenient: AnswerSource;
  /** Wraps sources that forward nothing, to inject faults. */
  readonly faulty?: (sources: readonly AnswerSource[]) => AnswerSource;
  /** Whether faults may be injected in a run. */
  readonly goesWrong?: (run: Run) => boolean;
}

/** Sources by mode, and those for uploads of telemetry in modes in which nothing may leave the machine. */
export type SourcesByMode = Readonly<Record<Mode | "telemetry", readonly AnswerSource[]>>;

/** The sources of runs, without and with injected faults. */
export interface Sources {
  readonly plain: SourcesByMode;
  readonly faulty: SourcesByMode;
}

/** Returns the sources of each mode, in order. Nothing else about answering depends on the mode. */
export function createSources(parts: SourceParts): Sources {
  const plain = createPlainSources(parts);
  return { plain, faulty: addFaults(plain, parts) };
}

function createPlainSources(parts: SourceParts): SourcesByMode {
  const replay = createReplaySources(parts, false);
  const coinciding = createCoincidingSource({ ...parts, growsTakes: false });
  return {
    strict: [...replay, coinciding],
    record: [...createReplaySources(parts, true), createUpstreamSource(parts, "add")],
    refresh: [createUpstreamSource(parts, "replace")],
    lenient: [...replay, coinciding, parts.lenient],
    live: [createUpstreamSource(parts, "pass")],
    telemetry: [telemetryTaken],
  };
}

/** Forwards calls. The modules for it are loaded with the first one, because most runs forward none. */
function createUpstreamSource(parts: UpstreamParts, keeping: KeepMode): AnswerSource {
  let source: Promise<AnswerSource> | undefined;
  return {
    name: "upstream",
    async answer(exchange) {
      source ??= import("./forward.ts").then((forward) => forward.createUpstreamSource(parts, keeping));
      return (await source).answer(exchange);
    },
  };
}

function addFaults(plain: SourcesByMode, { faulty }: SourceParts): SourcesByMode {
  if (faulty === undefined) return plain;
  return { ...plain, strict: [faulty(plain.strict)], lenient: [faulty(plain.lenient)] };
}

/** Returns the sources that replay local recordings, and then those of the team. */
function createReplaySources(parts: SourceParts, growsTakes: boolean): readonly AnswerSource[] {
  const replay = createRecordingsSource({ ...parts, growsTakes });
  return parts.fetchMissing === undefined
    ? [replay]
    : [replay, createTeamRecordings(parts.fetchMissing, replay)];
}

/** Downloads the recordings of a call that has none in the workspace. Never rejects. */
export type FetchMissing = (provider: string, key: Key) => Promise<void>;

/** Downloads the recordings of a call that is not recorded here, and replays them. */
export function createTeamRecordings(fetchMissing: FetchMissing, replay: AnswerSource): AnswerSource {
  return {
    name: "recordings",
    async answer(exchange) {
      await fetchMissing(exchange.provider.name, exchange.key);
      return replay.answer(exchange);
    },
  };
}

/** Accepts uploads of telemetry without sending them. */
const telemetryTaken: AnswerSource = {
  name: "telemetry",
  async answer() {
    const reply = { status: 204, headers: [], body: new Uint8Array() };
    return createSettledAnswer(reply, { outcome: "defaulted", reason: uploadReason() });
  },
};

const uploadReason = (): string =>
  localize("an upload of traces is not a model call: Tapedeck accepted it and did not forward it");
