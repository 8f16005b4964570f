import { labelCall, formatRow, shortenLabel } from "../../core/view/row.ts";
import { type CallNode, createLeafNode } from "../calls/call-node-model.ts";
import type { RequestView } from "../../core/view/describe.ts";
import { describeFinding } from "../../core/view/finding.ts";
import { isRunByTests, formatTestTitle } from "../../core/call/test-names.ts";
import { formatShortAge } from "../../core/base/age.ts";
import { type MissingCall, type OpenFinding, isMissingCall } from "../findings/findings-model.ts";
import { joinList, joinSentences, localize } from "../../core/base/localize.ts";
import { formatCount } from "../../core/base/plural.ts";

interface NodeOptions {
  readonly parent: CallNode;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Reads a missed request; undefined if it cannot be read. */
  readonly describe: (call: MissingCall) => RequestView | undefined;
}

/** The line of one finding. */
export function createFindingNode(finding: OpenFinding, options: NodeOptions): CallNode {
  const { parent } = options;
  const texts = isMissingCall(finding) ? missingWords(finding, options) : otherWords(finding, options);
  return createLeafNode({
    id: `${parent.id}/${finding.id}`,
    ...texts,
    icon: iconOf(finding),
    context: contextOf(finding),
    parent,
    subject: { kind: "finding", finding },
  });
}

type RowWords = Pick<CallNode, "label" | "description" | "spoken">;

function missingWords(call: MissingCall, { now, describe }: NodeOptions): RowWords {
  const { miss, test, at, count, madeUp } = call;
  const view = describe(call);
  const text = formatRow(
    {
      label: view ? labelCall(view) : `"${miss.label}"`,
      state: call.kind,
      model: miss.model ?? miss.operation,
      test,
      at,
    },
    { now },
  );
  const times = count > 1 ? [timesText(count)] : [];
  // The mock that answered matters more than the facts that every call has.
  const by = madeUp === undefined ? [] : [madeUp.by];
  return {
    label: text.label,
    description: [...by, text.description, ...times].join(" · "),
    spoken: joinList([text.spoken, ...by.map((name) => localize("made up by {0}", name)), ...times]),
  };
}

/** Maximum characters, so that a narrow view has room for the reason. The tooltip has the full text. */
const LABEL = 24;

const timesText = (count: number): string => localize("{0} times", formatCount(count));

function otherWords(finding: OpenFinding, { now }: NodeOptions): RowWords {
  const { kind, label, brief, why, provider, test, at, count } = finding;
  // Avoids repeating the status: many upstreams return no other reason.
  const cause = kind === "failed" && brief !== undefined && why.includes(brief) ? (provider ?? why) : why;
  const facts = [
    ...(brief === undefined ? [] : [brief]),
    cause,
    ...(test ? [formatTestTitle(test) || test.file] : []),
    ...(count > 1 ? [timesText(count)] : []),
    formatShortAge(at, now),
  ];
  const title = kind === "unreached" ? (test?.name.at(-1) ?? label) : label;
  return {
    label: shortenLabel(title, LABEL),
    description: facts.join(" · "),
    spoken: joinList([label, joinSentences(...describeFinding(finding).split("\n"))]),
  };
}

function iconOf({ kind }: OpenFinding): string {
  if (kind === "missing" || kind === "unreached") return "warning";
  if (kind === "made-up") return "beaker";
  return kind === "bypassed" ? "debug-disconnect" : "error";
}

/** `viewItem` in `when` clauses. A made-up call has the same actions as a missing one. */
function contextOf(finding: OpenFinding): string {
  const { kind, test } = finding;
  const context = ["finding"];
  if (isMissingCall(finding)) {
    const { miss } = finding;
    context.push("missing");
    if (miss.cacheFile !== undefined) context.push("metagpt");
    if (miss.nearest !== undefined) context.push("nearest");
    if (finding.hasRules) context.push("rules");
    if (kind === "made-up") context.push(kind);
  } else context.push("failure");
  if (test) context.push(isRunByTests(test) || !isMissingCall(finding) ? "test" : "script");
  return context.join(" ");
}
