import type { Stray } from "../../storage/folder/survey.ts";
import type { TestRef } from "../../core/call.ts";
import { findingText } from "../../core/finding.ts";
import { inOrderOfAsking } from "../../core/conversation/asked-order.ts";
import { linesOf, type TurnLine } from "../../core/conversation/outline.ts";
import { chainsOf } from "../../core/conversation/turns.ts";
import type { RequestView } from "../../core/describe.ts";
import type { RowState } from "../../core/view/row.ts";
import type { CacheView } from "../metagpt/cache-files-model.ts";
import type { SessionState } from "../session/session-model.ts";
import { type CallFacts, type ReadFacts, requestText, testText } from "./call-facts-model.ts";
import { type CallFilter, isFiltering, namesFile, passes } from "./call-filter-model.ts";
import type { RecordingIndex } from "./recording-index-model.ts";
import { isFailure, isMissingCall, type MissingCall, type OpenFinding } from "../findings/findings-model.ts";
import type { CallNode, FindingRow, FindingSection, RecordingRow } from "./call-node-model.ts";

export interface RowSources {
  readonly index: RecordingIndex;
  readonly state: () => SessionState;
  /** The neutral reading of a missed request; undefined where it cannot be read. */
  readonly describeMissing: (call: MissingCall) => RequestView | undefined;
  /** What lies among the recordings and is none, as far as it is known. */
  readonly strays?: () => readonly Stray[];
  /** The lines of MetaGPT's caches. */
  readonly caches?: (view: CacheView) => Promise<readonly CallNode[]>;
  /** Whether Tapedeck could be turned on. */
  readonly isOff?: () => boolean;
  /** Whether a recording came from the team. */
  readonly isTeams?: (entry: string) => boolean;
  /** Whether a team's cache is named. */
  readonly asksTeam?: () => boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Answers what a row is, from what is known now. */
export interface Rows {
  /** What is wrong with calls, newest first; `total` without the filter. */
  findings(
    section: FindingSection,
    filter: CallFilter,
  ): { readonly rows: readonly FindingRow[]; readonly total: number };
  /**
   * New ones, those of them that failed tests made, and accepted ones apart. A recording that is not read yet is left
   * out where the filter has to know it.
   */
  recordings(filter: CallFilter): Promise<{
    readonly fresh: readonly RecordingRow[];
    readonly failed: readonly RecordingRow[];
    readonly kept: readonly RecordingRow[];
  }>;
  /** Whether a recording passes; undefined where that takes more reading, which has begun. */
  passes(filter: CallFilter, row: RecordingRow): boolean | undefined;
  facts(row: RecordingRow): CallFacts | undefined;
  state(row: RecordingRow): RowState;
  /** Those that were seen to use it, else the one that made it. */
  tests(row: RecordingRow): readonly TestRef[];
  /** Recordings of a test that were read, in the order in which it asks for them, as turns of its conversations. */
  turns(
    rows: readonly RecordingRow[],
    test: Pick<TestRef, "file" | "name">,
  ): readonly TurnLine<RecordingRow>[];
  /** Whether it came from the team. */
  isTeams(row: RecordingRow): boolean;
}

export function createRows(sources: RowSources): Rows {
  const { index, state } = sources;
  const rows: Rows = {
    isTeams: ({ address }) => sources.isTeams?.(address.entry) === true,
    findings(section, filter) {
      const own = state().findings.filter((one) => sectionOf(one) === section);
      const shown = isFiltering(filter) ? own.filter((one) => findingPasses(filter, one, sources)) : own;
      return { rows: shown.map((finding) => ({ kind: "finding", finding })), total: own.length };
    },
    async recordings(filter) {
      const addresses = await index.addresses();
      const { candidates } = state();
      const fresh: RecordingRow[] = [];
      const failed: RecordingRow[] = [];
      const kept: RecordingRow[] = [];
      for (const address of addresses.values()) {
        const candidate = candidates.get(address.entry);
        const row: RecordingRow = { kind: "recording", address, ...(candidate && { candidate }) };
        if (isFiltering(filter) && rows.passes(filter, row) !== true) continue;
        (candidate ? (candidate.outcome === "failed" ? failed : fresh) : kept).push(row);
      }
      return { fresh, failed, kept };
    },
    passes: (filter, row) => recordingPasses(filter, row, { rows, sources }),
    facts: (row) => index.facts(row.address.entry),
    state: (row) => stateOf(row, sources),
    tests: (row) => testsOf(row, sources),
    turns: (own, test) => turnsOf(own, { used: state().entriesOf(test), index }),
  };
  return rows;
}

function turnsOf(
  rows: readonly RecordingRow[],
  { used, index }: { readonly used: readonly string[]; readonly index: RecordingIndex },
): readonly TurnLine<RecordingRow>[] {
  const readFacts = ({ address }: RecordingRow): ReadFacts | undefined => {
    const facts = index.facts(address.entry);
    return facts?.kind === "read" ? facts : undefined;
  };
  const ordered = inOrderOfAsking(rows, used, (row) => ({
    ...row.address,
    recordedAt: readFacts(row)?.recordedAt ?? 0,
  }));
  const chains = chainsOf(ordered, (row) => readFacts(row)?.turn);
  return linesOf(chains, (row) => readFacts(row)?.label ?? row.address.entry);
}

function stateOf(row: RecordingRow, { index, state }: RowSources): RowState {
  if (index.facts(row.address.entry)?.kind === "broken") return "broken";
  if (row.candidate) return "new";
  return state().isStale(row.address.entry) ? "stale" : "recorded";
}

function testsOf({ address, candidate }: RecordingRow, { index, state }: RowSources): readonly TestRef[] {
  const seen = state().testsOf(address.entry);
  if (seen.length > 0) return seen;
  const facts = index.facts(address.entry);
  const maker = candidate?.test ?? (facts?.kind === "read" ? facts.test : undefined);
  return maker ? [maker] : [];
}

function sectionOf(finding: OpenFinding): FindingSection {
  if (isMissingCall(finding)) return finding.kind;
  return isFailure(finding) ? "failures" : "faults";
}

function findingPasses(filter: CallFilter, finding: OpenFinding, sources: RowSources): boolean {
  const { key, test, provider = "", at } = finding;
  let text: string | undefined;
  const textOf = (): string =>
    [...askedText(finding, sources), findingText(finding), provider, ...testText(test)]
      .join("\n")
      .toLowerCase();
  const passed = passes(filter, {
    now: sources.now(),
    state: isMissingCall(finding) ? finding.kind : undefined,
    at,
    provider,
    model: isMissingCall(finding) ? finding.miss.model : undefined,
    tests: lowerCase(testText(test)),
    contains: (word) =>
      (key !== undefined && namesFile(key.slice("sha256:".length), word)) ||
      (text ??= textOf()).includes(word),
  });
  return passed === true;
}

function askedText(finding: OpenFinding, sources: RowSources): readonly string[] {
  if (!isMissingCall(finding)) return [finding.label];
  const { miss } = finding;
  const view = sources.describeMissing(finding);
  return [...(view ? requestText(view) : [miss.label]), miss.operation];
}

function recordingPasses(
  filter: CallFilter,
  row: RecordingRow,
  { rows, sources }: { readonly rows: Rows; readonly sources: RowSources },
): boolean | undefined {
  const { entry, provider } = row.address;
  const facts = rows.facts(row);
  const tests = lowerCase(rows.tests(row).flatMap(testText));
  return passes(filter, {
    now: sources.now(),
    state: rows.state(row),
    at: facts && (facts.kind === "read" ? facts.recordedAt : Infinity),
    provider,
    model: facts?.kind === "read" ? facts.model : undefined,
    tests,
    contains(word) {
      if ([provider, ...tests].some((text) => text.includes(word)) || namesFile(entry, word)) return true;
      if (facts === undefined) return undefined;
      if (facts.kind === "broken") return `broken ${facts.reason}`.toLowerCase().includes(word);
      return sources.index.contains(entry, facts, word);
    },
  });
}

const lowerCase = (texts: readonly string[]): readonly string[] => texts.map((text) => text.toLowerCase());
