import type { Mode } from "../call.ts";
import type { LenientAnswer } from "../config/config.ts";
import { lenientReplies } from "./lenient.ts";
import { recordings, type ReplayOptions } from "./recordings.ts";
import type { AnswerSource } from "./source.ts";
import { upstream, type UpstreamParts } from "./upstream.ts";

/** The modes from which a call can reach a provider. */
export function canLeaveMachine(mode: Mode): boolean {
  return mode === "record" || mode === "refresh" || mode === "live";
}

export interface SourceParts extends UpstreamParts, Omit<ReplayOptions, "growsTakes"> {
  /** What lenient mode answers where nothing is recorded; asked at every such call. */
  readonly lenient: () => LenientAnswer;
}

/** What each mode means: its sources in order. No other place asks which mode it is in order to answer. */
export function sourcesByMode(parts: SourceParts): Record<Mode, readonly AnswerSource[]> {
  const replay = recordings({ ...parts, growsTakes: false });
  return {
    strict: [replay],
    record: [recordings({ ...parts, growsTakes: true }), upstream(parts, "add")],
    refresh: [upstream(parts, "replace")],
    lenient: [replay, lenientReplies(parts.lenient)],
    live: [upstream(parts, "pass")],
  };
}
