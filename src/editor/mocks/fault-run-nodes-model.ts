import { plural } from "../../core/plural.ts";
import { shortAge } from "../../core/view/age.ts";
import { isFiltering, type CallFilter } from "../calls-tree/call-filter-model.ts";
import { branchNode, leafNode, type CallNode } from "../calls-tree/call-node-model.ts";
import { faultRunFacts, type FaultRun } from "./fault-runs-model.ts";

const ICONS: Readonly<Record<FaultRun["ended"], string>> = {
  passed: "pass",
  failed: "error",
  stopped: "circle-slash",
};

/** How tests ended that were run with a fault, as a group of its own; undefined where none was, or one filters. */
export function faultRunsNode(
  runs: readonly FaultRun[],
  { filter, isOpen, now }: { readonly filter: CallFilter; readonly isOpen: boolean; readonly now: number },
): CallNode | undefined {
  if (runs.length === 0 || isFiltering(filter)) return undefined;
  return branchNode(
    {
      id: "fault-runs",
      label: "Run with faults",
      description: String(runs.length),
      spoken: `Run with faults, ${plural(runs.length, "test")}`,
      context: "section fault-runs",
      isOpen,
      subject: { kind: "fault-runs", runs },
    },
    (parent) => Promise.resolve(runs.map((run) => faultRunNode(run, { parent, now }))),
  );
}

function faultRunNode(
  run: FaultRun,
  { parent, now }: { readonly parent: CallNode; readonly now: number },
): CallNode {
  const { id, test, fault, ended, at } = run;
  // The outcome comes first: a title is as long as its row.
  const label = `${ended}, with ${fault}`;
  const facts = [test.name.at(-1) ?? test.file, ...faultRunFacts(run), shortAge(at, now)];
  return leafNode({
    id: `fault-runs/${id}`,
    label,
    description: facts.join(" · "),
    spoken: [label, ...facts].join(", "),
    icon: ICONS[ended],
    context: "fault-run test",
    parent,
    subject: { kind: "fault-run", run },
  });
}
