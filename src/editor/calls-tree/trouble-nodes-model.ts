import { plural } from "../../core/plural.ts";
import { shortAge } from "../../core/view/age.ts";
import { testTitle } from "../../core/view/names.ts";
import { shorten } from "../../core/view/row.ts";
import { findingText, type Finding } from "../../core/finding.ts";
import { isFiltering, type CallFilter } from "./call-filter-model.ts";
import { branchNode, leafNode, type CallNode } from "./call-node-model.ts";

/** What went wrong before an answer could be kept, as a group of its own; undefined where nothing did, or it is filtered out. */
export function troublesNode(
  all: readonly Finding[],
  { filter, isOpen, now }: { readonly filter: CallFilter; readonly isOpen: boolean; readonly now: number },
): CallNode | undefined {
  const troubles = all.filter((one) => passes(one, filter));
  if (troubles.length === 0) return undefined;
  return branchNode(
    {
      id: "troubles",
      label: "Failed",
      description: String(troubles.length),
      spoken: `Failed, ${plural(troubles.length, "call or test", "calls or tests")}`,
      context: "section troubles",
      isOpen,
      subject: { kind: "troubles", troubles },
    },
    (parent) => Promise.resolve(troubles.map((trouble) => troubleNode(trouble, { parent, now }))),
  );
}

/** In characters: in a narrow view there is room for why beside it. The whole stands in the tooltip. */
const LABEL = 24;

function troubleNode(
  trouble: Finding,
  { parent, now }: { readonly parent: CallNode; readonly now: number },
): CallNode {
  const { id, label, brief, why, provider, test, at, count, kind } = trouble;
  const facts = [
    ...(brief === undefined ? [] : [brief]),
    // Nothing twice: many an upstream says no more than its status.
    kind === "failed" && brief !== undefined && why.includes(brief) ? (provider ?? why) : why,
    ...(test ? [testTitle(test) || test.file] : []),
    ...(count > 1 ? [`${count} times`] : []),
    shortAge(at, now),
  ];
  return leafNode({
    id: `troubles/${id}`,
    label: shorten(kind === "unreached" ? (test?.name.at(-1) ?? label) : label, LABEL),
    description: facts.join(" · "),
    spoken: `${label}, ${findingText(trouble).replaceAll("\n", " ")}`,
    icon: kind === "bypassed" ? "debug-disconnect" : "error",
    context: test ? "trouble test" : "trouble",
    parent,
    subject: { kind: "trouble", trouble },
  });
}

/** Words alone find them: they are in no state of a recording. */
function passes(trouble: Finding, filter: CallFilter): boolean {
  if (!isFiltering(filter)) return true;
  const { words, states, providers, models, tests, ages } = filter;
  if ([states, providers, models, tests, ages].some((facet) => facet.length > 0)) return false;
  const text = `${trouble.label}\n${findingText(trouble)}`.toLowerCase();
  return words.every((word) => text.includes(word));
}
