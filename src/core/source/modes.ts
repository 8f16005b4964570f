import type { Mode } from "../call.ts";
import { inTurn, type TakeTurn } from "./in-turn.ts";
import { recordings, type ReplayOptions } from "./recordings.ts";
import type { AnswerSource } from "./source.ts";
import { telemetryPassed, telemetryTaken } from "./telemetry.ts";
import { upstream, type UpstreamParts } from "./upstream.ts";

export interface SourceParts extends UpstreamParts, Omit<ReplayOptions, "growsTakes"> {
  /** Absent where no other machine makes the same calls. */
  readonly takeTurn?: TakeTurn | undefined;
  /** What lenient mode answers with where nothing is recorded. */
  readonly lenient: AnswerSource;
  /** Puts what goes wrong on purpose before sources that cost nothing. */
  readonly faulty?: (sources: readonly AnswerSource[]) => readonly AnswerSource[];
}

/** What each mode means: its sources in order. No other place asks which mode it is in order to answer. */
export function sourcesByMode(parts: SourceParts): Record<Mode, readonly AnswerSource[]> {
  const replay = recordings({ ...parts, growsTakes: false });
  const { lenient, faulty = (sources) => sources } = parts;
  const passing = upstream(parts, "pass");
  const uploads = telemetryPassed(passing);
  return {
    strict: faulty([replay, telemetryTaken]),
    record: recording(parts, uploads),
    refresh: [uploads, upstream(parts, "replace")],
    lenient: faulty([replay, telemetryTaken, lenient]),
    live: [passing],
  };
}

function recording(parts: SourceParts, uploads: AnswerSource): readonly AnswerSource[] {
  const replay = recordings({ ...parts, growsTakes: true });
  const making = upstream(parts, "add");
  const { takeTurn, store } = parts;
  return [replay, uploads, takeTurn === undefined ? making : inTurn(takeTurn, { store, replay, making })];
}
