import type { Outcome } from "../core/call/call.ts";
import { makeShape } from "./dom.ts";
import { formatDuration, computeTicks, type TimePart } from "./facts-model.ts";
import type { TimelineCallRow } from "./rows-model.ts";

/** The shown part of a run and the width of its picture in pixels. */
export interface Scale extends TimePart {
  readonly width: number;
}

/** Room for the sign to the left of a bar, and for the end of the last bar. */
const LEFT = 16;
const RIGHT = 6;
const MIDDLE = 12;

function placeIn({ from, to, width }: Scale, time: number): number {
  const share = (time - from) / Math.max(to - from, Number.EPSILON);
  return LEFT + share * Math.max(1, width - LEFT - RIGHT);
}

export function getTimeAt({ from, to, width }: Scale, place: number): number {
  return from + ((place - LEFT) / Math.max(1, width - LEFT - RIGHT)) * (to - from);
}

/** Ten by ten pixels. Each outcome has its own shape, because color alone is not accessible. */
const SIGNS: Readonly<Record<Outcome, readonly [color: string, path: string]>> = {
  replayed: ["blue", "M2 1L9 5L2 9z"],
  recorded: ["green", "M5 1a4 4 0 1 0 .01 0z"],
  forwarded: ["purple", "M1 4h4V1l4.500 4L5 9V6H1z"],
  defaulted: ["orange", "M5 0.500L9.500 5L5 9.500L.5 5z"],
  miss: [
    "red",
    "M1.500 0L5 3.500L8.500 0L10 1.500L6.500 5L10 8.500L8.500 10L5 6.500L1.500 10L0 8.500L3.500 5L0 1.500z",
  ],
  refused: ["red", "M1 1h8v8h-8zM3 4v2h4v-2z"],
};
const colorOf = (outcome: Outcome): string => `var(--vscode-charts-${SIGNS[outcome][0]})`;
const MUTED = "var(--vscode-descriptionForeground)";

function signPath(outcome: Outcome, transform?: string): SVGElement {
  return makeShape("path", {
    fill: colorOf(outcome),
    d: SIGNS[outcome][1],
    "fill-rule": "evenodd",
    transform,
  });
}

/** The sign of an outcome, next to words. */
export function createSign(outcome: Outcome): SVGElement {
  return makeShape(
    "svg",
    { class: "sign", viewBox: "0 0 10 10", width: 10, height: 10, "aria-hidden": "true" },
    signPath(outcome),
  );
}

/** A call's bar: the pause before it, the time to its first byte, and its response with the stream's events. */
export function createBar({ call: { outcome }, span, continues }: TimelineCallRow, scale: Scale): SVGElement {
  const at = (time: number): number => Math.min(Math.max(placeIn(scale, time), -20), scale.width + 20);
  const [start, end] = [at(span.start), at(span.end)];
  const first = span.firstByte === undefined ? start : at(span.firstByte);
  const pause = at(span.start - (span.pause ?? 0));
  const height = 2 * MIDDLE + 2;
  const grid = ticksIn(scale).map((time) => `M${placeIn(scale, time).toFixed(1)} 0v${height}`);
  const parts: SVGElement[] = [makeShape("path", { class: "grid", d: grid.join("") })];
  if (start - pause > 3)
    parts.push(
      makeShape("path", {
        stroke: MUTED,
        "stroke-dasharray": "2 3",
        d: `M${pause.toFixed(1)} ${MIDDLE}H${Math.max(pause, start - 12).toFixed(1)}`,
      }),
    );
  // From the end of the call that it continues to its own start.
  for (const { span: before } of continues)
    parts.push(
      makeShape("path", {
        fill: "none",
        stroke: MUTED,
        d: `M${at(before.end).toFixed(1)} 0Q${at(before.end).toFixed(1)} ${MIDDLE} ${(start - 14).toFixed(1)} ${MIDDLE}`,
      }),
    );
  if (first - start > 0.5) parts.push(block(start, first, { y: MIDDLE - 2, height: 4, fill: MUTED }));
  parts.push(
    block(first, Math.max(end, first + 2), {
      class: "bar",
      y: MIDDLE - 5,
      height: 10,
      ...fillOf(outcome, span.isKnown),
    }),
  );
  if (span.marks.length > 1) parts.push(rhythm(span.marks.map(at)));
  parts.push(signPath(outcome, `translate(${(start - 13).toFixed(1)} ${MIDDLE - 5})`));
  return makeShape("svg", { class: "picture", width: scale.width, height, "aria-hidden": "true" }, ...parts);
}

/** Outlines calls that got no answer, and those of unknown duration. */
function fillOf(outcome: Outcome, isKnown: boolean): Readonly<Record<string, string>> {
  if (!isKnown) return { fill: "none", stroke: MUTED, "stroke-dasharray": "3 2" };
  const color = colorOf(outcome);
  return outcome === "miss" || outcome === "refused" ? { fill: "none", stroke: color } : { fill: color };
}

function block(from: number, to: number, rest: Readonly<Record<string, string | number>>): SVGElement {
  return makeShape("rect", { x: from.toFixed(1), width: (to - from).toFixed(1), rx: 1, ...rest });
}

/** Events nearer than two pixels are one mark. */
function rhythm(places: readonly number[]): SVGElement {
  let last = Number.NEGATIVE_INFINITY;
  const marks = places.filter((place) => place - last >= 2 && ((last = place), true));
  const path = marks.map((place) => `M${place.toFixed(1)} ${MIDDLE - 3}v6`).join("");
  return makeShape("path", { class: "rhythm", d: path });
}

const TICK_WIDTH = 80;
const ticksIn = ({ from, to, width }: Scale): readonly number[] =>
  computeTicks(from, to, Math.max(1, Math.floor(width / TICK_WIDTH)));

/** The times above the bars. */
export function createAxis(scale: Scale): SVGElement {
  const texts = ticksIn(scale).flatMap((time) => {
    const place = placeIn(scale, time);
    const isLast = place > scale.width - 36;
    const anchor = isLast ? "end" : place < 36 ? "start" : "middle";
    const x = isLast ? scale.width - 2 : anchor === "start" ? Math.max(0, place - 4) : place;
    return [
      makeShape("path", { stroke: MUTED, d: `M${place.toFixed(1)} 18v8` }),
      makeShape("text", { x: x.toFixed(1), y: 14, "text-anchor": anchor }, formatDuration(time)),
    ];
  });
  return makeShape("svg", { class: "axis", width: scale.width, height: 26, "aria-hidden": "true" }, ...texts);
}
