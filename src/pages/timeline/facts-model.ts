import { dollars } from "../../core/call/spending.ts";
import { OUTCOME_WORDS, type RunCallTokens, type RunCall } from "../../core/view/run-record/run-record.ts";
import { countText } from "../../core/base/plural.ts";
import { durationText } from "./time-model.ts";
import type { TimelineCallRow } from "./rows-model.ts";

export type Fact = readonly [name: string, value: string];

/** Everything that is known of a call, for a person. */
export function factsOf({ call, span, relation, departs }: TimelineCallRow): readonly Fact[] {
  const { recorded, firstByteMs } = call;
  return [
    ["Outcome", [OUTCOME_WORDS[call.outcome], ...statusOf(call)].join(", ")],
    ["Call", [call.provider, call.operation, ...(call.model ? [call.model] : [])].join(" · ")],
    ...(call.test ? [["Test", testText(call.test)] as const] : []),
    ["Began", `at ${durationText(span.start)}`],
    ...(span.pause === undefined
      ? []
      : [["Before it", `${durationText(span.pause)} without a call`] as const]),
    ["In this run", timeText(call.ms, firstByteMs)],
    ...(recorded === undefined ? [] : [["When recorded", recordedText(recorded)] as const]),
    ...(call.tokens === undefined ? [] : [["Tokens", tokensText(call.tokens)] as const]),
    ...(call.costUsd === undefined ? [] : [["Cost", `about ${dollars(call.costUsd)}`] as const]),
    ...(call.note === undefined ? [] : [[call.outcome === "miss" ? "Differs" : "Note", call.note] as const]),
    ...(relation === undefined
      ? []
      : [["Other run", departs?.join("; ") ?? RELATION_WORDS[relation]] as const]),
  ];
}

const RELATION_WORDS = { same: "asks the same", departs: "departs here", after: "departed before" } as const;

/** `120 in (100 cached), 12 out` */
export function tokensText({ input, output, cached }: RunCallTokens): string {
  const fromCache = cached === undefined || cached === 0 ? "" : ` (${countText(cached)} cached)`;
  return [
    ...(input === undefined ? [] : [`${countText(input)} in${fromCache}`]),
    ...(output === undefined ? [] : [`${countText(output)} out`]),
  ].join(", ");
}

function timeText(ms: number, firstByteMs: number | undefined): string {
  return firstByteMs === undefined
    ? durationText(ms)
    : `${durationText(ms)}, first byte after ${durationText(firstByteMs)}`;
}

function recordedText({ ms, firstByteMs, marks, isPartial }: NonNullable<RunCall["recorded"]>): string {
  const of = isPartial === true ? "stream of " : "";
  const events = marks === undefined ? "" : ", as a stream";
  return `${of}${timeText(ms, isPartial === true ? undefined : firstByteMs)}${of === "" ? events : ""}`;
}

function statusOf({ status }: RunCall): readonly string[] {
  return status === undefined || (status >= 200 && status < 300) ? [] : [`status ${status}`];
}

function testText({ file, name, line }: NonNullable<RunCall["test"]>): string {
  const place = line === undefined ? file : `${file}:${line}`;
  return [place, name.join(" › ")].filter(Boolean).join("  ");
}
