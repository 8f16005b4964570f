import { sizeOf } from "../../core/match/differences/excerpt.ts";
import type { OverviewData } from "../../core/overview/overview-data.ts";
import { callsIn, sentIn } from "../../core/overview/sums.ts";
import {
  againMoneyBasis,
  againTimeBasis,
  durationText,
  moneyText,
  outcomesText,
  paidMoney,
  replayedShare,
  savedMoney,
  savedMoneyBasis,
  savedTimeBasis,
  savedTimeText,
} from "../../core/overview/texts.ts";
import { countText, plural } from "../../core/plural.ts";
import { element } from "../dom.ts";
import { callsLink, factList, link, section, type Ask, type Fact } from "./parts.ts";

/** What runs of the period came to. */
export function periodPart(
  { period, overview: { runs, sums } }: OverviewData,
  { choose, ask }: { readonly choose: (day: string | undefined) => void; readonly ask: Ask },
): HTMLElement {
  const title = `Last ${period} days`;
  if (callsIn(sums) === 0) return section(title, element("p", {}, "No run was noted on this machine."));
  const missing = sums.outcomes.miss;
  const facts: readonly Fact[] = [
    {
      name: "Replayed",
      value: `${replayedShare(sums) ?? 0} %`,
      basis: element(
        "span",
        {},
        `${outcomesText(sums)}, in `,
        link(plural(runs, "run"), "Show the runs", () => choose(undefined)),
      ),
    },
    { name: "Money saved", value: moneyText(savedMoney(sums)), basis: `Estimate: ${savedMoneyBasis(sums)}.` },
    { name: "Time saved", value: savedTimeText(sums), basis: `Estimate: ${savedTimeBasis(sums)}.` },
    {
      name: "Spent",
      value: sentIn(sums) === 0 ? "nothing" : moneyText(paidMoney(sums)),
      basis: `${plural(sentIn(sums), "call")} sent, ${plural(sums.paid.inputTokens + sums.paid.outputTokens, "token")}`,
    },
    ...(missing === 0
      ? []
      : [
          {
            name: "Missing",
            value: countText(missing),
            basis: element(
              "span",
              {},
              "calls that nothing answered: ",
              callsLink("those still missing", { state: "missing" }, ask),
            ),
          },
        ]),
  ];
  return section(title, factList(facts));
}

/** What the recordings are, and what they would cost again; nothing while they are being read. */
export function recordingsPart({ recordings, reading }: OverviewData, ask: Ask): HTMLElement | undefined {
  if (reading !== undefined) return undefined;
  const { again, unreadable, unused, blobBytes } = recordings;
  const facts: readonly Fact[] = [
    {
      name: "Recordings",
      value: callsLink(countText(again.recordings), {}, ask),
      basis: `${sizeOf(again.bytes + blobBytes)} on disk`,
    },
    { name: "To record all again", value: moneyText(again), basis: `Estimate: ${againMoneyBasis(again)}.` },
    {
      name: "Time that would take",
      value: again.timed === 0 ? "unknown" : `about ${durationText(again.ms)}`,
      basis: again.timed === 0 ? "Not noted on this machine." : `Estimate: ${againTimeBasis(again)}.`,
    },
    {
      name: "Not used any more",
      value: unused === undefined ? "unknown" : callsLink(countText(unused.count), { state: "stale" }, ask),
      basis:
        unused === undefined
          ? "Run all tests once without a miss."
          : `${sizeOf(unused.bytes)}: the last whole runs did not ask for them`,
    },
    ...(unreadable === 0
      ? []
      : [
          {
            name: "Unreadable",
            value: callsLink(countText(unreadable), { state: "broken" }, ask),
            basis: "files that cannot be used",
          },
        ]),
  ];
  return section("Recordings", factList(facts));
}
