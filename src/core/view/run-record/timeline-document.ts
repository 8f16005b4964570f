import { computeWidths, countColumns, padColumns } from "../../base/columns.ts";
import { joinList, localize } from "../../base/localize.ts";
import { formatCount, localizeCount } from "../../base/plural.ts";
import { groupBy } from "../../base/group-by.ts";
import type { Outcome } from "../../call/call.ts";
import { formatDollars } from "../../call/spending.ts";
import { formatTestPlace, formatTestTitle, getTestId } from "../../call/test-names.ts";
import { getChainName } from "../../cassette/address.ts";
import { createDocumentWriter, type RenderedDocument, type Span } from "../rendered-document.ts";
import { computeSpans, type CallSpan, type WhichTime } from "./run-times.ts";
import {
  computeRunTotals,
  describeMode,
  describeOutcome,
  isCallOf,
  type RunCall,
  type RunRecord,
  type RunTest,
} from "./run-record.ts";

export interface TimelineOptions {
  readonly which: WhichTime;
  /** Shows only this test, or the tests of this suite or file. */
  readonly test?: RunTest | undefined;
  /** Formats the start of the run: date and time of this machine. */
  readonly timeOf: (at: number) => string;
}

/** Renders a run as a document: a line for each call, with a bar for its time, grouped by test. */
export function renderTimeline(
  run: RunRecord | undefined,
  { which, test, timeOf }: TimelineOptions,
): RenderedDocument {
  const writer = createDocumentWriter();
  if (run === undefined) {
    writer.line(localize("No run is stored yet."));
    writer.line(localize("Run tests that use Tapedeck. Each run is then shown here, call by call."));
    return writer.finish();
  }
  const all = createRows(run.calls, which);
  const shown = test === undefined ? all : all.filter(({ call }) => isCallOf(call, test));
  const scale = createScale(shown, test === undefined);
  const rows = shown.map((row) => ({ ...row, cells: listCells(row) }));
  const heads = [localize("Time"), localize("Cost")];
  const widths = computeWidths([heads, ...rows.map(({ cells }) => cells)]);
  const pad = (texts: readonly string[]): string =>
    texts.map((text, at) => padColumns(text, widths[at] ?? 0)).join("  ");
  writer.line(describeRun(run, timeOf(run.startedAt)));
  if (test !== undefined && rows.length === 0) {
    writer.line(localize("This run has no calls of this test."));
    return writer.finish();
  }
  writer.line(describeTotals(rows.map(({ call }) => call)));
  writer.line(
    which === "run"
      ? localize("Times of this run")
      : localize("Times as recorded: each call takes as long as its recording did"),
  );
  writer.line();
  writer.line(`${drawAxis(scale)}  ${pad(heads)}  ${localize("Call")}`);
  for (const group of groupBy(rows, ({ call }) => getTestId(call.test))) {
    const model = findSharedModel(group);
    writeTest(writer, group, model);
    for (const row of group)
      writer.line(`${drawBar(row, scale)}  ${pad(row.cells)}  `, ...describeCall(row, model));
  }
  if (run.left !== undefined)
    writer.line(localizeCount(run.left, "{0} more call is not kept", "{0} more calls are not kept"));
  return writer.finish();
}

interface Row {
  readonly call: RunCall;
  readonly span: CallSpan;
  /** 1-based position in its test. */
  readonly number: number;
  /** The numbers of the calls whose ids its request has. */
  readonly continues: readonly number[];
}

function createRows(calls: readonly RunCall[], which: WhichTime): readonly Row[] {
  const spans = computeSpans(calls, which);
  const counts = new Map<string, number>();
  const numbers = new Map<string, number>();
  return calls.flatMap((call, index): readonly Row[] => {
    const span = spans[index];
    if (span === undefined) return [];
    const id = getTestId(call.test);
    const number = (counts.get(id) ?? 0) + 1;
    counts.set(id, number);
    const continues = (call.continues ?? []).flatMap((name) => numbers.get(name) ?? []);
    if (call.entry !== undefined) numbers.set(getChainName(call.entry), number);
    return [{ call, span, number, continues }];
  });
}

const SIGNS: Readonly<Record<Outcome, string>> = {
  replayed: "▶",
  recorded: "●",
  forwarded: "→",
  defaulted: "◆",
  miss: "✕",
  refused: "■",
};

function describeRun({ title, mode, passed, calls }: RunRecord, when: string): string {
  // A pipe hides the exit code of the tests before it, so a run with missed calls is not reported as passed.
  const isDoubtful = calls.some(({ outcome }) => outcome === "miss" || outcome === "refused");
  const end =
    passed === false ? [localize("failed")] : passed === true && !isDoubtful ? [localize("passed")] : [];
  return [...(title === undefined ? [] : [title]), describeMode(mode), when, ...end].join(" · ");
}

/** Counts the calls by outcome, which also explains the signs, and sums up their tokens and costs. */
function describeTotals(calls: readonly RunCall[]): string {
  const { counts, input, output, cached, costUsd, unpriced } = computeRunTotals(calls);
  const outcomes = Object.keys(SIGNS) as readonly Outcome[];
  const cost = (dollars: string): string =>
    counts.replayed === undefined
      ? localize("about {0}", dollars)
      : localize("about {0}, replays as recorded", dollars);
  return [
    ...outcomes.flatMap((outcome) => {
      const count = counts[outcome];
      return count === undefined
        ? []
        : [`${SIGNS[outcome]} ${formatCount(count)} ${describeOutcome(outcome)}`];
    }),
    ...(input + output > 0
      ? [localizeCount(input, "{0} token in", "{0} tokens in"), localize("{0} out", formatCount(output))]
      : []),
    ...(cached > 0 ? [localize("{0} cached", formatCount(cached))] : []),
    ...(costUsd > 0 ? [cost(formatDollars(costUsd))] : []),
    ...(unpriced > 0 ? [localize("{0} of unknown price", formatCount(unpriced))] : []),
  ].join(" · ");
}

const getModel = ({ call: { model, operation } }: Row): string | undefined => model ?? operation;

/** Returns the model of all calls of a test, which its line then shows once. */
function findSharedModel(rows: readonly Row[]): string | undefined {
  const [model, ...others] = new Set(rows.map(getModel));
  return others.length === 0 ? model : undefined;
}

function writeTest(
  writer: ReturnType<typeof createDocumentWriter>,
  rows: readonly Row[],
  model: string | undefined,
): void {
  const test = rows[0]?.call.test;
  const calls = [localizeCount(rows.length, "{0} call", "{0} calls"), ...(model ? [model] : [])].join(" · ");
  if (test === undefined) return writer.section(localize("No known test"), { facts: calls });
  const { file, line } = test;
  writer.section(formatTestTitle(test) || file, {
    facts: `${calls} · ${formatTestPlace(test)}`,
    target: { kind: "test", file, line },
  });
}

/** The time and the cost of a call. */
const listCells = ({ call: { costUsd }, span: { isKnown, start, end } }: Row): readonly string[] => [
  isKnown ? formatDuration(end - start) : "–",
  costUsd === undefined ? "" : formatDollars(costUsd),
];

/** The words of a call: its sign and number, a link to it, the calls that it continues, its reply, and other facts. */
function describeCall(row: Row, sharedModel: string | undefined): readonly Span[] {
  const { call, number, continues } = row;
  const { label, outcome, entry, key, answered, note } = call;
  const isMissed = outcome === "miss" && key !== undefined;
  const text = shorten(label, answered === undefined && note === undefined ? LONG_TEXT : SHORT_TEXT);
  const link =
    entry !== undefined
      ? { text, target: { kind: "recording", entry } as const }
      : isMissed
        ? { text, target: { kind: "missed", key } as const }
        : text;
  const result = [
    ...(continues.length === 0 ? [] : [localize("continues {0}", joinList(continues.map(String)))]),
    ...(answered === undefined ? [] : [`→ ${shorten(answered, SHORT_TEXT)}`]),
    ...[note, sharedModel === undefined ? getModel(row) : undefined].flatMap((fact) =>
      fact ? [`· ${fact}`] : [],
    ),
  ];
  return [`${SIGNS[outcome]} ${number} `, link, ...result.map((fact) => ` ${fact}`)];
}

/** Shortens a text to a number of columns, so that most calls fit in a line of an editor. Its recording has the whole text. */
function shorten(text: string, columns: number): string {
  if (countColumns(text) <= columns) return text;
  let shown = "";
  let left = columns - 1; // the ellipsis
  for (const character of text) {
    left -= countColumns(character);
    if (left < 0) break;
    shown += character;
  }
  return `${shown.trimEnd()}…`;
}

/** Columns of a prompt without a reply or note. */
const LONG_TEXT = 46;
/** Columns of a prompt beside its reply or a note, and of that reply. */
const SHORT_TEXT = 26;

/** Columns of the chart. */
const WIDTH = 24;

/** The shown part of a run, in milliseconds from its start. */
interface Scale {
  readonly from: number;
  readonly to: number;
}

function createScale(rows: readonly Row[], isWhole: boolean): Scale {
  const starts = rows.map(({ span: { start, pause = 0 } }) => start - pause);
  const from = isWhole ? 0 : starts.reduce((least, at) => Math.min(least, at), Infinity);
  const to = rows.reduce((most, { span }) => Math.max(most, span.end), 0);
  return { from: Number.isFinite(from) ? from : 0, to };
}

function placeAt(time: number, { from, to }: Scale): number {
  const share = (time - from) / Math.max(to - from, 1);
  return Math.min(WIDTH, Math.max(0, Math.round(share * WIDTH)));
}

/** Draws a call: the pause before it, the time to its first byte, and its response. Shaded: no response, or unknown times. */
function drawBar({ call: { outcome }, span }: Row, scale: Scale): string {
  const cells = Array.from({ length: WIDTH }, () => " ");
  const fill = (from: number, to: number, sign: string): void =>
    void cells.fill(sign, placeAt(from, scale), placeAt(to, scale));
  const { start, end, firstByte = start, pause = 0 } = span;
  fill(start - pause, start, "·");
  fill(start, firstByte, "─");
  const sign = span.isKnown && outcome !== "miss" && outcome !== "refused" ? "█" : "░";
  fill(firstByte, end, sign);
  // A call that is shorter than a column is still visible.
  cells[Math.min(placeAt(firstByte, scale), WIDTH - 1)] = sign;
  return cells.join("");
}

/** Maximum times on the axis, which begins at the first shown call. */
const TICKS = 3;

function drawAxis(scale: Scale): string {
  let axis = "";
  for (const time of computeTicks(scale.to - scale.from, TICKS)) {
    const [place, text] = [placeAt(scale.from + time, scale), formatDuration(time)];
    if (place + countColumns(text) > WIDTH || (axis !== "" && place <= countColumns(axis))) continue;
    axis = padColumns(axis, place) + text;
  }
  return padColumns(axis, WIDTH);
}

/** Formats a duration: `0.4 ms`, `12 ms`, `1.24 s`, `2 min 3 s`, `3 min`, `2 h 5 min`. */
export function formatDuration(ms: number): string {
  const trim = (value: number, digits: number): string => String(Number(value.toFixed(digits)));
  if (ms < 10) return localize("{0} ms", trim(ms, 1));
  if (ms < 1_000) return localize("{0} ms", Math.round(ms));
  if (ms < 60_000) return localize("{0} s", trim(ms / 1_000, ms < 10_000 ? 2 : 1));
  const seconds = Math.round(ms / 1_000);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const parts = [
    hours > 0 && localize("{0} h", formatCount(hours)),
    minutes > 0 && localize("{0} min", minutes),
    hours === 0 && seconds % 60 > 0 && localize("{0} s", seconds % 60),
  ];
  return parts.filter(Boolean).join(" ");
}

/** Returns round times for an axis from 0, at most `most` steps of them. */
function computeTicks(length: number, most: number): readonly number[] {
  const rough = length / most;
  if (!(rough > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, index) =>
    Number((index * step).toPrecision(12)),
  );
}
