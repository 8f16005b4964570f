import type { TestRef } from "../../core/call/call.ts";
import { describeFinding } from "../../core/view/finding.ts";
import { sortByAsking } from "../../core/view/conversation/asked-order.ts";
import { type TurnLine, layOutTurnLines } from "../../core/view/conversation/outline.ts";
import { buildChains } from "../../core/view/conversation/turns.ts";
import type { RequestView } from "../../core/view/describe.ts";
import type { RowState } from "../../core/view/row.ts";
import { type MissingCall, type OpenFinding, isMissingCall } from "../findings/findings-model.ts";
import type { CacheView } from "../metagpt/cache-files-model.ts";
import type { SessionState } from "../session/session-model.ts";
import {
  type CallFacts,
  type ReadFacts,
  listRequestTexts,
  listTestTexts,
} from "../calls/call-facts-model.ts";
import { type CallFilter, isFiltering, isNameOfFile, passesFilter } from "../calls/call-filter-model.ts";
import type { CallNode, FindingRow, FindingSection, RecordingRow } from "../calls/call-node-model.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";

export interface RowSources {
  readonly index: RecordingIndex;
  readonly state: () => SessionState;
  /** The neutral reading of a missed request; undefined if it cannot be read. */
  readonly describeMissing: (call: MissingCall) => RequestView | undefined;
  /** Returns the lines of MetaGPT's caches. */
  readonly caches?: (view: CacheView) => Promise<readonly CallNode[]>;
  /** Whether Tapedeck could be turned on. */
  readonly isOff?: () => boolean;
  /** Whether a recording came from the team. */
  readonly isTeams?: (entry: string) => boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Reads rows from what is known now. */
export interface Rows {
  /** Findings of a section, newest first. `total` counts them without the filter. */
  findings(
    section: FindingSection,
    filter: CallFilter,
  ): { readonly rows: readonly FindingRow[]; readonly total: number };
  /**
   * New recordings, those of them from failed tests, and accepted ones. A recording that is not read yet is left out if
   * the filter needs its facts.
   */
  recordings(filter: CallFilter): Promise<{
    readonly fresh: readonly RecordingRow[];
    readonly failed: readonly RecordingRow[];
    readonly kept: readonly RecordingRow[];
  }>;
  /** Whether a recording passes; undefined if more has to be read first, which has started. */
  passes(filter: CallFilter, row: RecordingRow): boolean | undefined;
  facts(row: RecordingRow): CallFacts | undefined;
  state(row: RecordingRow): RowState;
  /** The tests that used it; if there are none, the test that made it. */
  tests(row: RecordingRow): readonly TestRef[];
  /** Returns the recordings of a test that were read, in call order, as turns of its conversations. */
  turns(
    rows: readonly RecordingRow[],
    test: Pick<TestRef, "file" | "name">,
  ): readonly TurnLine<RecordingRow>[];
  /** Whether it came from the team. */
  isTeams(row: RecordingRow): boolean;
}

export function createRows(sources: RowSources): Rows {
  const { index, state } = sources;
  const readFacts = ({ address }: RecordingRow): ReadFacts | undefined => {
    const facts = index.facts(address.entry);
    return facts?.kind === "read" ? facts : undefined;
  };
  const rows: Rows = {
    isTeams: ({ address }) => sources.isTeams?.(address.entry) === true,
    findings(section, filter) {
      const own = state().findings.filter((one) => sectionOf(one) === section);
      const shown = isFiltering(filter) ? own.filter((one) => findingPasses(filter, one, sources)) : own;
      return { rows: shown.map((finding) => ({ kind: "finding", finding })), total: own.length };
    },
    async recordings(filter) {
      const { candidates } = state();
      const all = Array.from((await index.addresses()).values(), (address): RecordingRow => {
        const candidate = candidates.get(address.entry);
        return { kind: "recording", address, ...(candidate && { candidate }) };
      });
      const shown = isFiltering(filter) ? all.filter((row) => rows.passes(filter, row) === true) : all;
      return {
        fresh: shown.filter(({ candidate }) => candidate && candidate.outcome !== "failed"),
        failed: shown.filter(({ candidate }) => candidate?.outcome === "failed"),
        kept: shown.filter(({ candidate }) => candidate === undefined),
      };
    },
    passes: (filter, row) => recordingPasses(filter, row, { rows, sources }),
    facts: ({ address }) => index.facts(address.entry),
    state(row) {
      if (rows.facts(row)?.kind === "broken") return "broken";
      if (row.candidate) return "new";
      return state().isStale(row.address.entry) ? "stale" : "recorded";
    },
    tests(row) {
      const seen = state().testsOf(row.address.entry);
      const maker = row.candidate?.test ?? readFacts(row)?.test;
      return seen.length > 0 || maker === undefined ? seen : [maker];
    },
    turns(own, test) {
      const ordered = sortByAsking(own, state().entriesOf(test), (row) => ({
        ...row.address,
        recordedAt: readFacts(row)?.recordedAt ?? 0,
      }));
      const chains = buildChains(ordered, (row) => readFacts(row)?.turn);
      return layOutTurnLines(chains, (row) => readFacts(row)?.label ?? row.address.entry);
    },
  };
  return rows;
}

function sectionOf(finding: OpenFinding): FindingSection {
  return isMissingCall(finding) ? finding.kind : "failures";
}

function findingPasses(filter: CallFilter, finding: OpenFinding, sources: RowSources): boolean {
  const { key, test, provider = "" } = finding;
  const tests = listTestTexts(test);
  let text: string | undefined;
  const readText = (): string =>
    [...askedText(finding, sources), describeFinding(finding), provider, ...tests].join("\n").toLowerCase();
  const passed = passesFilter(filter, {
    state: isMissingCall(finding) ? finding.kind : undefined,
    provider,
    model: isMissingCall(finding) ? finding.miss.model : undefined,
    tests: lowerCase(tests),
    contains: (word) =>
      (key !== undefined && isNameOfFile(key.slice("sha256:".length), word)) ||
      (text ??= readText()).includes(word),
  });
  return passed === true;
}

function askedText(finding: OpenFinding, sources: RowSources): readonly string[] {
  if (!isMissingCall(finding)) return [finding.label];
  const { miss } = finding;
  const view = sources.describeMissing(finding);
  return [...(view ? listRequestTexts(view) : [miss.label]), miss.operation];
}

function recordingPasses(
  filter: CallFilter,
  row: RecordingRow,
  { rows, sources }: { readonly rows: Rows; readonly sources: RowSources },
): boolean | undefined {
  const { entry, provider } = row.address;
  const facts = rows.facts(row);
  const tests = lowerCase(rows.tests(row).flatMap(listTestTexts));
  return passesFilter(filter, {
    state: rows.state(row),
    provider,
    model: facts?.kind === "read" ? facts.model : undefined,
    tests,
    contains(word) {
      if ([provider, ...tests].some((text) => text.includes(word)) || isNameOfFile(entry, word)) return true;
      if (facts === undefined) return undefined;
      if (facts.kind === "broken") return `broken ${facts.reason}`.toLowerCase().includes(word);
      return sources.index.contains(entry, facts, word);
    },
  });
}

const lowerCase = (texts: readonly string[]): readonly string[] => texts.map((text) => text.toLowerCase());
