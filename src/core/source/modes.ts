import type { Mode, Run } from "../call.ts";
import { recordings, type ReplayOptions } from "./recordings.ts";
import type { AnswerSource } from "./source.ts";
import { teamRecordings, type FetchMissing } from "./team-recordings.ts";
import { telemetryPassed, telemetryTaken } from "./telemetry.ts";
import { upstream, type UpstreamParts } from "./upstream.ts";

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

/** What each mode means: its sources in order. No other place asks which mode it is in order to answer. */
export function sourcesByMode(parts: SourceParts): SourcesByMode {
  const replay = replaying(parts, false);
  const passing = upstream(parts, "pass");
  const uploads = telemetryPassed(passing);
  return {
    strict: [...replay, telemetryTaken],
    record: [...replaying(parts, true), uploads, upstream(parts, "add")],
    refresh: [uploads, upstream(parts, "replace")],
    lenient: [...replay, telemetryTaken, parts.lenient],
    live: [passing],
  };
}

/** The same where something goes wrong on purpose. */
export function faultyByMode(plain: SourcesByMode, { faulty }: SourceParts): SourcesByMode {
  if (faulty === undefined) return plain;
  return { ...plain, strict: [faulty(plain.strict)], lenient: [faulty(plain.lenient)] };
}

/** Replays what is recorded here, and then what the team has. */
function replaying(parts: SourceParts, growsTakes: boolean): readonly AnswerSource[] {
  const replay = recordings({ ...parts, growsTakes });
  return parts.fetchMissing === undefined ? [replay] : [replay, teamRecordings(parts.fetchMissing, replay)];
}
