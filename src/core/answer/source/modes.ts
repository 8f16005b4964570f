import type { Key, Mode, Run } from "../../call/call.ts";
import { recordings, type ReplayOptions } from "./recordings.ts";
import type { UpstreamParts } from "./forward.ts";
import type { Keeping } from "./save.ts";
import { settledAnswer, type AnswerSource } from "./source.ts";
import { type Exchange } from "../../match/read-request.ts";

export interface SourceParts extends UpstreamParts, Omit<ReplayOptions, "growsTakes"> {
  /** Absent if no team cache is named. */
  readonly fetchMissing?: FetchMissing | undefined;
  /** What lenient mode answers with where nothing is recorded. */
  readonly lenient: AnswerSource;
  /** Sources that cost nothing, behind what goes wrong on purpose. */
  readonly faulty?: (sources: readonly AnswerSource[]) => AnswerSource;
  /** Whether something goes, or may go, wrong on purpose in a run. */
  readonly goesWrong?: (run: Run) => boolean;
}

export type SourcesByMode = Readonly<Record<Mode, readonly AnswerSource[]>>;

/** Returns the sources of each mode, in order. Nothing else about answering depends on the mode. */
export function sourcesByMode(parts: SourceParts): SourcesByMode {
  const replay = replaying(parts, false);
  const passing = upstreamSource(parts, "pass");
  const uploads = telemetryPassed(passing);
  return {
    strict: [...replay, telemetryTaken],
    record: [...replaying(parts, true), uploads, upstreamSource(parts, "add")],
    refresh: [uploads, upstreamSource(parts, "replace")],
    lenient: [...replay, telemetryTaken, parts.lenient],
    live: [passing],
  };
}

/** Forwards calls. The modules for it are loaded with the first one, because most runs forward none. */
function upstreamSource(parts: UpstreamParts, keeping: Keeping): AnswerSource {
  let source: Promise<AnswerSource> | undefined;
  return {
    name: "upstream",
    async answer(exchange) {
      source ??= import("./forward.ts").then((forward) => forward.upstreamSource(parts, keeping));
      return (await source).answer(exchange);
    },
  };
}

/** Returns the sources with injected faults. */
export function faultyByMode(plain: SourcesByMode, { faulty }: SourceParts): SourcesByMode {
  if (faulty === undefined) return plain;
  return { ...plain, strict: [faulty(plain.strict)], lenient: [faulty(plain.lenient)] };
}

/** Replays what is recorded here, and then what the team has. */
function replaying(parts: SourceParts, growsTakes: boolean): readonly AnswerSource[] {
  const replay = recordings({ ...parts, growsTakes });
  return parts.fetchMissing === undefined ? [replay] : [replay, teamRecordings(parts.fetchMissing, replay)];
}

/** Downloads the recordings of a call that has none in the workspace. Never rejects. */
export type FetchMissing = (provider: string, key: Key) => Promise<void>;

/** Downloads recordings of a call that nothing answered, and replays them. */
export function teamRecordings(fetchMissing: FetchMissing, replay: AnswerSource): AnswerSource {
  return {
    name: "recordings",
    async answer(exchange) {
      await fetchMissing(exchange.provider.name, exchange.key);
      return replay.answer(exchange);
    },
  };
}

/**
 * Paths of telemetry uploads, by provider: OpenAI's agents send their traces. Clients ignore the response, and every
 * upload has new ids and times, so replaying one is impossible and pointless.
 */
const UPLOADS: Readonly<Record<string, string>> = { openai: "/v1/traces/ingest" };

function isUpload({ provider, call }: Exchange): boolean {
  return call.method === "POST" && UPLOADS[provider.name] === call.path;
}

const REASON = "an upload of traces is no call to a model: it was taken here and sent nowhere";

/** Accepts uploads without sending them, for modes in which nothing may leave the machine. */
export const telemetryTaken: AnswerSource = {
  name: "telemetry",
  async answer(exchange) {
    if (!isUpload(exchange)) return undefined;
    const reply = { status: 204, headers: [], body: new Uint8Array() };
    return settledAnswer(reply, { outcome: "defaulted", reason: REASON });
  },
};

/** Sends uploads on by a source that keeps nothing. */
export function telemetryPassed(passing: AnswerSource): AnswerSource {
  return {
    name: "telemetry",
    answer: async (exchange) => (isUpload(exchange) ? passing.answer(exchange) : undefined),
  };
}
