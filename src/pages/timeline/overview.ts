import { shape } from "../dom.ts";
import { placeIn, timeAt, type Scale } from "./bars.ts";
import type { CallRow } from "./rows-model.ts";

const HEIGHT = 30;

/** The whole run as a strip, with the part of it that the table shows. Drawing over it zooms in. */
export interface Overview {
  readonly node: SVGSVGElement;
  draw(calls: readonly CallRow[], whole: Scale, shown: Pick<Scale, "from" | "to">): void;
}

/** `zoom` is told of the part that was drawn over. For keys there are the buttons: this is for pointers alone. */
export function createOverview(zoom: (part: Pick<Scale, "from" | "to">) => void): Overview {
  const node = shape("svg", { class: "overview", height: HEIGHT, "aria-hidden": "true" });
  const drawn = shape("rect", { class: "drawn", y: 0, height: HEIGHT });
  let scale: Scale = { from: 0, to: 1, width: 1 };
  let begun: number | undefined;
  const placeOf = (event: PointerEvent): number => event.clientX - node.getBoundingClientRect().left;
  const show = (from: number, to: number): void => {
    drawn.setAttribute("x", String(Math.min(from, to)));
    drawn.setAttribute("width", String(Math.abs(to - from)));
  };
  node.addEventListener("pointerdown", (event) => {
    begun = placeOf(event);
    node.setPointerCapture(event.pointerId);
    show(begun, begun);
    node.append(drawn);
  });
  node.addEventListener("pointermove", (event) => {
    if (begun !== undefined) show(begun, placeOf(event));
  });
  node.addEventListener("pointerup", (event) => {
    if (begun === undefined) return;
    const [from, to] = [begun, placeOf(event)].sort((a, b) => a - b) as [number, number];
    begun = undefined;
    drawn.remove();
    if (to - from > 3) zoom({ from: timeAt(scale, from), to: timeAt(scale, to) });
  });
  return {
    node,
    draw(calls, whole, shown) {
      scale = whole;
      node.setAttribute("width", String(whole.width));
      const [from, to] = [placeIn(whole, shown.from), placeIn(whole, shown.to)];
      const part = shape("rect", {
        class: "part",
        x: from.toFixed(1),
        y: 0.5,
        width: Math.max(2, to - from).toFixed(1),
        height: HEIGHT - 1,
      });
      node.replaceChildren(part, ...lanesOf(calls, whole));
    },
  };
}

/** One path for each outcome: a thousand calls are six nodes. */
function lanesOf(calls: readonly CallRow[], scale: Scale): readonly SVGElement[] {
  const lanes = new Map<string, string>();
  for (const [index, { call, span }] of calls.entries()) {
    const [from, to] = [placeIn(scale, span.start), placeIn(scale, span.end)];
    const height = 3 + (index / Math.max(1, calls.length - 1)) * (HEIGHT - 8);
    const piece = `M${from.toFixed(1)} ${height.toFixed(1)}h${Math.max(2, to - from).toFixed(1)}`;
    lanes.set(call.outcome, (lanes.get(call.outcome) ?? "") + piece);
  }
  return [...lanes].map(([outcome, d]) => shape("path", { class: `lane is-${outcome}`, d }));
}
