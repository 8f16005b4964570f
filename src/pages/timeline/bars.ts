import type { Outcome } from "../../core/call/call.ts";
import { shape } from "../dom.ts";
import { durationText, ticksOf } from "./time-model.ts";
import type { TimelineCallRow } from "./rows-model.ts";

/** Which time stands where: milliseconds to pixels. */
export interface Scale {
  readonly from: number;
  readonly to: number;
  /** Of the picture, in pixels. */
  readonly width: number;
}

/** Room for the sign before a bar that begins at the very left, and for what ends at the very right. */
const LEFT = 16;
const RIGHT = 6;
const MIDDLE = 12;

export function placeIn({ from, to, width }: Scale, time: number): number {
  const share = (time - from) / Math.max(to - from, Number.EPSILON);
  return LEFT + share * Math.max(1, width - LEFT - RIGHT);
}

export function timeAt({ from, to, width }: Scale, place: number): number {
  return from + ((place - LEFT) / Math.max(1, width - LEFT - RIGHT)) * (to - from);
}

/** Ten by ten, each of another shape: colour alone tells nobody anything. */
const SIGNS: Readonly<Record<Outcome, string>> = {
  replayed: "M2 1L9 5L2 9z",
  recorded: "M5 1a4 4 0 1 0 .01 0z",
  forwarded: "M1 4h4V1l4.500 4L5 9V6H1z",
  defaulted: "M5 0.500L9.500 5L5 9.500L.5 5z",
  miss: "M1.500 0L5 3.500L8.500 0L10 1.500L6.500 5L10 8.500L8.500 10L5 6.500L1.500 10L0 8.500L3.500 5L0 1.500z",
  refused: "M1 1h8v8h-8zM3 4v2h4v-2z",
};

/** The sign of an outcome, for beside words. */
export function signOf(outcome: Outcome): SVGElement {
  return shape(
    "svg",
    { class: "sign", viewBox: "0 0 10 10", width: 10, height: 10, "aria-hidden": "true" },
    shape("path", { class: `is-${outcome}`, d: SIGNS[outcome], "fill-rule": "evenodd" }),
  );
}

/** A call's bar: the pause before it, the way to its first byte, its stream with the rhythm of its events. */
export function barOf({ call, span }: TimelineCallRow, scale: Scale): SVGElement {
  const at = (time: number): number => Math.min(Math.max(placeIn(scale, time), -20), scale.width + 20);
  const [start, end] = [at(span.start), at(span.end)];
  const first = span.firstByte === undefined ? start : at(span.firstByte);
  const parts: SVGElement[] = [shape("path", { class: "grid", d: gridOf(scale) })];
  if (span.pause !== undefined && start - at(span.start - span.pause) > 3)
    parts.push(line("pause", at(span.start - span.pause), start - 12, MIDDLE));
  if (first - start > 0.5) parts.push(block("wait", start, first, { top: MIDDLE - 2, height: 4 }));
  const kind = span.isKnown ? `bar is-${call.outcome}` : `bar is-${call.outcome} is-unknown`;
  parts.push(block(kind, first, Math.max(end, first + 2), { top: MIDDLE - 5, height: 10 }));
  if (span.marks.length > 1) parts.push(rhythm(span.marks.map(at)));
  parts.push(
    shape("path", {
      class: `is-${call.outcome}`,
      d: SIGNS[call.outcome],
      "fill-rule": "evenodd",
      transform: `translate(${(start - 13).toFixed(1)} ${MIDDLE - 5})`,
    }),
  );
  return shape(
    "svg",
    { class: "picture", width: scale.width, height: 2 * MIDDLE + 2, "aria-hidden": "true" },
    ...parts,
  );
}

const TICK_WIDTH = 80;

function ticksIn({ from, to, width }: Scale): readonly number[] {
  return ticksOf(from, to, Math.max(1, Math.floor(width / TICK_WIDTH)));
}

function gridOf(scale: Scale): string {
  return ticksIn(scale)
    .map((time) => `M${placeIn(scale, time).toFixed(1)} 0v${2 * MIDDLE + 2}`)
    .join("");
}

function block(
  kind: string,
  from: number,
  to: number,
  { top, height }: { readonly top: number; readonly height: number },
): SVGElement {
  return shape("rect", {
    class: kind,
    x: from.toFixed(1),
    y: top,
    width: (to - from).toFixed(1),
    height,
    rx: 1,
  });
}

function line(kind: string, from: number, to: number, height: number): SVGElement {
  return shape("path", { class: kind, d: `M${from.toFixed(1)} ${height}H${Math.max(from, to).toFixed(1)}` });
}

/** Events nearer than two pixels are one mark. */
function rhythm(places: readonly number[]): SVGElement {
  let last = Number.NEGATIVE_INFINITY;
  const marks = places.filter((place) => place - last >= 2 && ((last = place), true));
  return shape("path", {
    class: "rhythm",
    d: marks.map((place) => `M${place.toFixed(1)} ${MIDDLE - 3}v6`).join(""),
  });
}

/** The times above the bars. */
export function axisOf(scale: Scale): SVGElement {
  const texts = ticksIn(scale).flatMap((time) => {
    const place = placeIn(scale, time);
    const isLast = place > scale.width - 36;
    const anchor = isLast ? "end" : place < 36 ? "start" : "middle";
    const x = isLast ? scale.width - 2 : anchor === "start" ? Math.max(0, place - 4) : place;
    return [
      shape("path", { class: "tick", d: `M${place.toFixed(1)} 18v8` }),
      shape("text", { x: x.toFixed(1), y: 14, "text-anchor": anchor }, durationText(time)),
    ];
  });
  return shape("svg", { class: "axis", width: scale.width, height: 26, "aria-hidden": "true" }, ...texts);
}
