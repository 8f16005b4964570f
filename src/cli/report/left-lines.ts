import type { Seen } from "../../server/seen.ts";
import { plural } from "../../core/plural.ts";
import { visibleLine } from "../../core/view/visible.ts";

/** Connections beside calls to models: what a strict run does not answer. */
export function leftLines({ left }: Seen): readonly string[] {
  const open = left.filter(({ times }) => times > 0);
  const shown = open.slice(0, LEFT_SHOWN).map(({ host, times }) => {
    const verb = times === 1 ? "was not a model call" : "were not model calls";
    return `${plural(times, "connection")} to ${visibleLine(host)} ${verb}.`;
  });
  const more = open.length > LEFT_SHOWN ? [`and ${open.length - LEFT_SHOWN} more hosts`] : [];
  const refused = left
    .filter((one) => one.refused > 0)
    .map(
      (one) => `${plural(one.refused, "connection")} to ${visibleLine(one.host)} refused (--block-network).`,
    );
  return [...shown, ...more, ...refused];
}

const LEFT_SHOWN = 10;
