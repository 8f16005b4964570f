import {
  alignRuns,
  formatDeparture,
  type AlignedTest,
  type Step,
} from "../core/view/run-record/align-runs.ts";
import { localize } from "../core/base/localize.ts";
import { groupBy } from "../core/base/group-by.ts";
import type { RunCall, RunTest } from "../core/view/run-record/run-record.ts";
import { computeSpans, type CallSpan, type WhichTime } from "../core/view/run-record/run-times.ts";
import { getTestId } from "../core/call/test-names.ts";

export type Row = TestRow | TimelineCallRow | DepartureRow;

export interface TestRow {
  readonly kind: "test";
  /** Stays the same when the timeline is rebuilt. */
  readonly id: string;
  readonly title: string;
  readonly file: string;
  readonly calls: number;
  /** In a comparison: 1-based position of the call at which the second run departs from the first; 0 if none does. */
  readonly departsAt?: number;
}

/** In a comparison: one line that describes the difference, above the call that departs. */
export interface DepartureRow {
  readonly kind: "departure";
  readonly id: string;
  readonly text: string;
}

export interface TimelineCallRow {
  readonly kind: "call";
  readonly id: string;
  /** 1-based position in its test. */
  readonly number: number;
  readonly call: RunCall;
  readonly span: CallSpan;
  /** In a comparison: the run that made the call. */
  readonly side?: "first" | "second";
  readonly relation?: Step["relation"];
  /** Only on the call that departs: the differences, one per line. */
  readonly departs?: readonly string[];
}

export interface Timeline {
  readonly rows: readonly Row[];
  /** The end of the last call, in milliseconds. */
  readonly until: number;
  /** Number of calls that do not match the search. */
  readonly hidden: number;
}

export interface TimelineOptions {
  readonly time: WhichTime;
  /** Shows only calls that contain every word, in the call or its test. Quotes keep words together. */
  readonly search: string;
  /** Differences by test id, in more detail than the run records contain. */
  readonly departures?: Readonly<Record<string, readonly string[]>>;
}

/** Returns the rows of one run, or of two runs side by side. In a comparison, each test starts at 0 ms. */
export function buildTimeline(
  calls: readonly RunCall[],
  second: readonly RunCall[] | undefined,
  options: TimelineOptions,
): Timeline {
  const groups = second === undefined ? ofOneRun(calls, options) : ofTwoRuns(calls, second, options);
  const words = wordsOf(options.search);
  const shown = words.length === 0 ? groups : groups.map((group) => findRows(group, words));
  const all = groups.reduce((count, { rows }) => count + rows.length, 0);
  const left = shown.reduce((count, { rows }) => count + rows.length, 0);
  const rows = shown.flatMap(({ head, rows: own }) => (own.length === 0 ? [] : [head, ...withLines(own)]));
  const until = groups.flatMap((group) => group.rows).reduce((end, { span }) => Math.max(end, span.end), 0);
  return { rows, until, hidden: all - left };
}

function wordsOf(search: string): readonly string[] {
  const words = search.toLowerCase().match(/"[^"]*"?|[^\s"]+/g) ?? [];
  return words.map((word) => word.replaceAll('"', "").trim()).filter(Boolean);
}

/** Inserts the lines that describe a difference above the pair of calls that depart. */
function withLines(rows: readonly TimelineCallRow[]): readonly Row[] {
  const first = rows.find(({ departs }) => departs !== undefined);
  if (first === undefined) return rows;
  const lines = (first.departs ?? []).map((text, index): DepartureRow => ({
    kind: "departure",
    id: `${first.id} line ${index}`,
    text,
  }));
  return rows.flatMap((row) => (row === first ? [...lines, row] : [row]));
}

/** Returns the search text that finds a test by its title. */
export function composeSearch({ name, file }: RunTest): string {
  const title = name.at(-1) ?? file;
  return title.includes('"') ? title : `"${title}"`;
}

/** Returns the time span of the calls of the test whose row is at `index`, plus 5% on each side. */
export function findSpanOfTest(
  { rows }: Timeline,
  index: number,
): { readonly from: number; readonly to: number } {
  const after = rows.slice(index + 1);
  const next = after.findIndex(({ kind }) => kind === "test");
  const spans = after
    .slice(0, next < 0 ? undefined : next)
    .flatMap((row) => (row.kind === "call" ? [row.span] : []));
  const from = spans.reduce(
    (least, { start, pause = 0 }) => Math.min(least, start - pause),
    Number.POSITIVE_INFINITY,
  );
  const to = spans.reduce((most, { end }) => Math.max(most, end), 0);
  const room = (to - from) * 0.05;
  return { from: from - room, to: to + room };
}

interface Group {
  readonly head: TestRow;
  readonly rows: readonly TimelineCallRow[];
}

function findRows({ head, rows }: Group, words: readonly string[]): Group {
  const ofTest = `${head.title} ${head.file}`.toLowerCase();
  return {
    head,
    rows: rows.filter((row) => words.every((word) => `${ofTest} ${searchText(row)}`.includes(word))),
  };
}

function searchText({ call }: TimelineCallRow): string {
  const { label, answered = "", provider, operation, model = "", outcome, note = "", entry = "" } = call;
  return `${label} ${answered} ${provider} ${operation} ${model} ${outcome} ${note} ${entry}`.toLowerCase();
}

function ofOneRun(calls: readonly RunCall[], { time }: TimelineOptions): readonly Group[] {
  const spans = computeSpans(calls, time);
  const placed = calls.map((call, index) => ({ call, index, span: spans[index] }));
  return groupBy(placed, ({ call }) => getTestId(call.test)).map((group) => {
    const test = group[0]?.call.test;
    const rows = group.flatMap(({ call, index, span }, at): readonly TimelineCallRow[] =>
      span === undefined ? [] : [{ kind: "call", id: `call ${index}`, number: at + 1, call, span }],
    );
    return { head: headOf(getTestId(test), test, rows.length), rows };
  });
}

function ofTwoRuns(
  first: readonly RunCall[],
  second: readonly RunCall[],
  options: TimelineOptions,
): readonly Group[] {
  const spans = new Map([...spansByCall(first, options.time), ...spansByCall(second, options.time)]);
  return alignRuns(first, second).map((aligned) => {
    const { id, test, steps } = aligned;
    const [ours, others] = [beginOf(steps, "first", spans), beginOf(steps, "second", spans)];
    const departs = departureOf(aligned, options);
    const rows = steps.flatMap((step, index) => [
      ...rowOf(step, "first", { index, id, begin: ours, spans, departs }),
      ...rowOf(step, "second", { index, id, begin: others, spans, departs }),
    ]);
    const departsAt = aligned.departure === undefined ? 0 : steps.indexOf(aligned.departure) + 1;
    return { head: { ...headOf(id, test, steps.length), departsAt }, rows };
  });
}

type Spans = ReadonlyMap<RunCall, CallSpan>;

function spansByCall(calls: readonly RunCall[], time: WhichTime): Iterable<readonly [RunCall, CallSpan]> {
  return computeSpans(calls, time).flatMap((span, index) => {
    const call = calls[index];
    return call === undefined ? [] : [[call, span] as const];
  });
}

function beginOf(steps: readonly Step[], side: "first" | "second", spans: Spans): number {
  const starts = steps.flatMap((step) => {
    const call = step[side];
    return call === undefined ? [] : [spans.get(call)?.start ?? 0];
  });
  return starts.reduce((least, start) => Math.min(least, start), Number.POSITIVE_INFINITY);
}

interface Placed {
  readonly index: number;
  /** Id of the test. */
  readonly id: string;
  /** Start of the test in this run, in milliseconds. */
  readonly begin: number;
  readonly spans: Spans;
  readonly departs: readonly string[];
}

function rowOf(
  step: Step,
  side: "first" | "second",
  { index, id, begin, spans, departs }: Placed,
): readonly TimelineCallRow[] {
  const call = step[side];
  const span = call && spans.get(call);
  if (call === undefined || span === undefined) return [];
  const { relation } = step;
  const own = shiftSpan(span, -begin);
  const known = { id: `${side} ${index} ${id}`, number: index + 1, call, span: own, side, relation };
  return [{ kind: "call", ...known, ...(relation === "departs" && { departs }) }];
}

function shiftSpan(span: CallSpan, by: number): CallSpan {
  return {
    ...span,
    start: span.start + by,
    end: span.end + by,
    ...(span.firstByte !== undefined && { firstByte: span.firstByte + by }),
    marks: span.marks.map((mark) => mark + by),
  };
}

function departureOf(
  { id, departure }: AlignedTest,
  { departures = {} }: TimelineOptions,
): readonly string[] {
  if (departure === undefined) return [];
  const known = departures[id] ?? [];
  return known.length > 0 ? known : formatDeparture(departure);
}

function headOf(id: string, test: RunTest | undefined, calls: number): TestRow {
  const title = test === undefined ? localize("No known test") : test.name.join(" › ") || test.file;
  const file = test === undefined || test.name.length === 0 ? "" : test.file;
  return { kind: "test", id: `test ${id}`, title, file, calls };
}
