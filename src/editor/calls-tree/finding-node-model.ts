import type { RequestView } from "../../core/view/describe.ts";
import { findingText } from "../../core/view/finding.ts";
import { isRunByTests } from "../../core/call/test-names.ts";
import { shortAge } from "../../core/base/age.ts";
import { testTitle } from "../../core/call/names.ts";
import { callLabel, rowText, shorten } from "../../core/view/row.ts";
import { leafNode, type CallNode } from "../calls/call-node-model.ts";
import { isMissingCall, type MissingCall, type OpenFinding } from "../findings/findings-model.ts";

interface NodeOptions {
  readonly parent: CallNode;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Reads a missed request; undefined where it cannot be read. */
  readonly describe: (call: MissingCall) => RequestView | undefined;
  /** Whether a team's cache may have it. */
  readonly hasTeam: boolean;
}

/** The line of one finding. */
export function findingNode(finding: OpenFinding, options: NodeOptions): CallNode {
  const { parent } = options;
  const words = isMissingCall(finding) ? missingWords(finding, options) : otherWords(finding, options);
  return leafNode({
    id: `${parent.id}/${finding.id}`,
    ...words,
    icon: iconOf(finding),
    context: contextOf(finding, options.hasTeam),
    parent,
    subject: { kind: "finding", finding },
  });
}

type Words = Pick<CallNode, "label" | "description" | "spoken">;

function missingWords(call: MissingCall, { now, describe }: NodeOptions): Words {
  const { miss, test, at, count, madeUp } = call;
  const view = describe(call);
  const text = rowText(
    {
      label: view ? callLabel(view) : `"${miss.label}"`,
      state: call.kind,
      model: miss.model ?? miss.operation,
      test,
      at,
    },
    { now },
  );
  // Who made an answer up matters more than what is known of every call.
  const by = madeUp === undefined ? "" : `${madeUp.by} · `;
  const times = count > 1 ? ` · ${count} times` : "";
  return {
    label: text.label,
    description: by + text.description + times,
    spoken: `${text.spoken}${madeUp === undefined ? "" : `, by ${madeUp.by}`}${times}`,
  };
}

/** Maximum characters, so that a narrow view has room for the reason. The tooltip has the full text. */
const LABEL = 24;

function otherWords(finding: OpenFinding, { now }: NodeOptions): Words {
  const { kind, label, brief, why, provider, test, at, count } = finding;
  // Avoids repeating the status: many upstreams return no other reason.
  const cause = kind === "failed" && brief !== undefined && why.includes(brief) ? (provider ?? why) : why;
  const facts = [
    ...(kind === "faulty" && test ? [test.name.at(-1) ?? test.file] : []),
    ...(brief === undefined ? [] : [brief]),
    ...(kind === "faulty" ? [] : [cause, ...(test ? [testTitle(test) || test.file] : [])]),
    ...(count > 1 ? [`${count} times`] : []),
    shortAge(at, now),
  ];
  const title = kind === "unreached" ? (test?.name.at(-1) ?? label) : label;
  return {
    label: kind === "faulty" ? title : shorten(title, LABEL),
    description: facts.join(" · "),
    spoken:
      kind === "faulty"
        ? [label, ...facts].join(", ")
        : `${label}, ${findingText(finding).replaceAll("\n", " ")}`,
  };
}

function iconOf({ kind, label }: OpenFinding): string {
  if (kind === "missing") return "warning";
  if (kind === "made-up") return "beaker";
  if (kind === "bypassed") return "debug-disconnect";
  if (kind !== "faulty" || label.startsWith("failed")) return "error";
  return label.startsWith("passed") ? "pass" : "circle-slash";
}

/** `viewItem` in `when` clauses. What can be done about a missing call can be done about a made-up one, too. */
function contextOf(finding: OpenFinding, hasTeam: boolean): string {
  const { kind, test } = finding;
  const words = ["finding"];
  if (isMissingCall(finding)) {
    const { miss } = finding;
    words.push("missing");
    if (miss.cacheFile !== undefined) words.push("metagpt");
    if (miss.nearest !== undefined) words.push("nearest");
    if (kind === "made-up") words.push(kind);
    if (hasTeam && miss.cacheFile === undefined) words.push("team");
  } else words.push(kind === "faulty" ? "faulty" : "failure");
  if (test) words.push(isRunByTests(test) || !isMissingCall(finding) ? "test" : "script");
  return words.join(" ");
}
