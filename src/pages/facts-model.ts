import { formatDollars } from "../core/call/spending.ts";
import { joinList, localize } from "../core/base/localize.ts";
import { formatCount } from "../core/base/plural.ts";
import { describeOutcome, type RunCall, type RunCallTokens } from "../core/view/run-record/run-record.ts";
import type { TimelineCallRow } from "./rows-model.ts";

/** A part of a run, in milliseconds from its start. */
export interface TimePart {
  readonly from: number;
  readonly to: number;
}

/** Shortest part that can be shown, in milliseconds. */
const SHORTEST = 0.1;

interface ZoomOptions {
  /** The end of the run. */
  readonly until: number;
  /** Above 1 shows a shorter part. Default 1. */
  readonly factor?: number;
  /** The time that keeps its position. Default: the middle. */
  readonly around?: number | undefined;
}

/** Returns the part to show, within the run; undefined for the whole run. */
export function computeZoom(
  { from, to }: TimePart,
  { until, factor = 1, around = (from + to) / 2 }: ZoomOptions,
): TimePart | undefined {
  const length = Math.max((to - from) / factor, Math.min(SHORTEST, until));
  if (length >= until) return undefined;
  const wanted = around - (around - from) * (length / Math.max(to - from, Number.EPSILON));
  const begin = Math.min(Math.max(0, wanted), until - length);
  return { from: begin, to: begin + length };
}

/** Moves the part to the right by a share of its length; a negative share moves it to the left. */
export function computePan({ from, to }: TimePart, share: number): TimePart {
  const by = (to - from) * share;
  return { from: from + by, to: to + by };
}

/** Formats a duration: `0.4 ms`, `12 ms`, `1.24 s`, `2 min 3 s`, `3 min`. */
export function formatDuration(ms: number): string {
  const trim = (value: number, digits: number): string => String(Number(value.toFixed(digits)));
  if (ms < 10) return localize("{0} ms", trim(ms, 1));
  if (ms < 1_000) return localize("{0} ms", Math.round(ms));
  if (ms < 60_000) return localize("{0} s", trim(ms / 1_000, ms < 10_000 ? 2 : 1));
  const seconds = Math.round(ms / 1_000);
  const minutes = localize("{0} min", formatCount(Math.floor(seconds / 60)));
  return seconds % 60 === 0 ? minutes : `${minutes} ${localize("{0} s", seconds % 60)}`;
}

/** Returns round times for an axis, at most `most` of them between `from` and `to`. */
export function computeTicks(from: number, to: number, most: number): readonly number[] {
  const length = to - from;
  if (!(length > 0) || most < 1) return [];
  const rough = length / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(from / step);
  const count = Math.floor(to / step) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
}

type Fact = readonly [name: string, value: string];

/** Everything that is known of a call, for a person. */
export function listFacts({ call, span, continues }: TimelineCallRow): readonly Fact[] {
  const { recorded, status, test, note } = call;
  const isFailed = status !== undefined && (status < 200 || status >= 300);
  const facts: readonly (readonly [name: string, value: string | undefined])[] = [
    [
      localize("Outcome"),
      joinList([describeOutcome(call.outcome), ...(isFailed ? [localize("status {0}", status)] : [])]),
    ],
    [localize("Call"), [call.provider, call.operation, ...(call.model ? [call.model] : [])].join(" · ")],
    [localize("Test"), test && testText(test)],
    [localize("Continues"), joinList(continues.map((row) => `${row.number} ${row.call.label}`)) || undefined],
    [localize("Start"), formatDuration(span.start)],
    [localize("Pause before"), span.pause === undefined ? undefined : formatDuration(span.pause)],
    [localize("In this run"), timeText(call.ms, call.firstByteMs)],
    [localize("When recorded"), recorded && recordedText(recorded)],
    [localize("Tokens"), call.tokens && formatTokens(call.tokens)],
    [
      localize("Cost"),
      call.costUsd === undefined ? undefined : localize("about {0}", formatDollars(call.costUsd)),
    ],
    [call.outcome === "miss" ? localize("Differs") : localize("Note"), note],
  ];
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

/** `120 in (100 cached), 12 out` */
export function formatTokens({ input, output, cached = 0 }: Partial<RunCallTokens>): string {
  const fromCache = cached === 0 ? "" : localize(" ({0} cached)", formatCount(cached));
  return joinList([
    ...(input === undefined ? [] : [localize("{0} in{1}", formatCount(input), fromCache)]),
    ...(output === undefined ? [] : [localize("{0} out", formatCount(output))]),
  ]);
}

function timeText(ms: number, firstByteMs: number | undefined): string {
  return joinList([
    formatDuration(ms),
    ...(firstByteMs === undefined ? [] : [localize("first byte after {0}", formatDuration(firstByteMs))]),
  ]);
}

function recordedText({ ms, firstByteMs, marks, isPartial }: NonNullable<RunCall["recorded"]>): string {
  if (isPartial === true) return localize("stream of {0}", formatDuration(ms));
  return joinList([timeText(ms, firstByteMs), ...(marks === undefined ? [] : [localize("as a stream")])]);
}

function testText({ file, name, line }: NonNullable<RunCall["test"]>): string {
  const place = line === undefined ? file : `${file}:${line}`;
  return [place, name.join(" › ")].filter(Boolean).join("  ");
}
