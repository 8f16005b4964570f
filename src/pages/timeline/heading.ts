import type { Outcome } from "../../core/call/call.ts";
import { dollars } from "../../core/call/spending.ts";
import { alignRuns } from "../../core/view/run-record/align-runs.ts";
import { OUTCOME_WORDS, type RunRecord, totalsOf } from "../../core/view/run-record/run-record.ts";
import { element } from "../dom.ts";
import { countText, plural } from "../../core/base/plural.ts";
import { signOf } from "./bars.ts";

/** In the same order whichever came first. */
const OUTCOMES = Object.keys(OUTCOME_WORDS) as readonly Outcome[];

/** The name of a run, what became of its calls (which is the legend as well), and what they took. */
export function headingOf(run: RunRecord, isLive: boolean, second: RunRecord | undefined): HTMLElement {
  if (second === undefined)
    return element(
      "header",
      {},
      element("h1", {}, runTitle(run)),
      element("p", {}, ...figuresOf(run, isLive)),
    );
  return element(
    "header",
    {},
    element("h1", {}, `Two runs beside each other: ${departing(run, second)}`),
    ...[run, second].map((one, index) =>
      element(
        "p",
        {},
        element("b", {}, `${index === 0 ? "a" : "b"}: ${runTitle(one)}`),
        ...figuresOf(one, isLive && index === 0),
      ),
    ),
  );
}

/** `3 of 7 tests depart` */
function departing(run: RunRecord, second: RunRecord): string {
  const tests = alignRuns(run.calls, second.calls);
  const count = tests.filter(({ departure }) => departure !== undefined).length;
  if (count === 0) return "nothing departs";
  return `${countText(count)} of ${plural(tests.length, "test")} ${count === 1 ? "departs" : "depart"}`;
}

function figuresOf(run: RunRecord, isLive: boolean): readonly HTMLElement[] {
  const totals = totalsOf(run.calls);
  const { input, output, cached, costUsd, unpriced, counts } = totals;
  const figures = [
    ...(input + output > 0 ? [`${countText(input)} tokens in`, `${countText(output)} out`] : []),
    ...(cached > 0 ? [`${countText(cached)} cached`] : []),
    ...(costUsd > 0 ? [`about ${dollars(costUsd)}`] : []),
    ...(unpriced > 0 ? [`${countText(unpriced)} of unknown price`] : []),
    ...((counts.replayed ?? 0) > 0 && costUsd > 0 ? ["(replays counted as recorded)"] : []),
    ...(run.left === undefined ? [] : [`${countText(run.left)} more calls are not kept`]),
  ];
  return [
    ...(isLive ? [element("span", { class: "live" }, "under way")] : []),
    ...outcomeWords(run).map((text) => element("span", {}, text)),
    ...OUTCOMES.filter((outcome) => counts[outcome] !== undefined).map((outcome) =>
      element(
        "span",
        { class: "outcome" },
        signOf(outcome),
        `${countText(counts[outcome] ?? 0)} ${OUTCOME_WORDS[outcome]}`,
      ),
    ),
    ...figures.map((text) => element("span", { class: "muted" }, text)),
  ];
}

/** A pipe hides how the tests ended that were before it: where calls were missed, nobody says that they passed. */
function outcomeWords({ passed, calls }: RunRecord): readonly string[] {
  if (passed === false) return ["failed"];
  const isDoubtful = calls.some(({ outcome }) => outcome === "miss" || outcome === "refused");
  return passed === true && !isDoubtful ? ["passed"] : [];
}

function runTitle({ title, startedAt, mode }: RunRecord): string {
  const when = new Date(startedAt).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  return [title, mode, when].filter((part) => part !== undefined).join(" · ");
}
