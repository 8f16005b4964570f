import type { Seen } from "../../server/seen.ts";
import { plural } from "../../core/plural.ts";
import { visibleLine } from "../../core/view/visible.ts";

/** Connections beside calls to models: what a strict run does not answer. */
export function leftLines({ left }: Seen): readonly string[] {
  const readable = left.map((one) => ({ ...one, times: one.times - one.unread }));
  return [
    ...linesOf(readable, "times", (times) => (times === 1 ? "was not a model call" : "were not model calls")),
    ...linesOf(left, "unread", () => "passed the proxy unread: TLS to a host of no known provider"),
    ...linesOf(left, "refused", () => "refused (--block-network)"),
  ];
}

function linesOf(
  left: Seen["left"],
  count: "times" | "unread" | "refused",
  outcome: (times: number) => string,
): readonly string[] {
  const counted = left.filter((one) => one[count] > 0);
  const shown = counted
    .slice(0, LEFT_SHOWN)
    .map((one) => `${plural(one[count], "connection")} to ${visibleLine(one.host)} ${outcome(one[count])}.`);
  const more = counted.length - LEFT_SHOWN;
  return more > 0 ? [...shown, `and ${plural(more, "more host")}`] : shown;
}

const LEFT_SHOWN = 10;
