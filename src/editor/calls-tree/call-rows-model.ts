import type { TestRef } from "../../core/call/call.ts";
import { describeFinding } from "../../core/view/finding.ts";
import { sortByAsking } from "../../core/view/conversation/asked-order.ts";
import { layOutTurnLines } from "../../core/view/conversation/outline.ts";
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
export type Rows = ReturnType<typeof createRows>;

export function createRows(sources: RowSources) {
  const { index, state } = sources;
  const facts = ({ address }: RecordingRow): CallFacts | undefined => index.facts(address.entry);
  const readFacts = (row: RecordingRow): ReadFacts | undefined => {
    const known = facts(row);
    return known?.kind === "read" ? known : undefined;
  };
  const rowState = (row: RecordingRow): RowState => {
    if (facts(row)?.kind === "broken") return "broken";
    if (row.candidate) return "new";
    return state().usage.isStale(row.address.entry) ? "stale" : "recorded";
  };
  const tests = (row: RecordingRow): readonly TestRef[] => {
    const users = state().usage.testsOf(row.address.entry);
    const maker = row.candidate?.test ?? readFacts(row)?.test;
    return users.length > 0 || maker === undefined ? users : [maker];
  };
  const passes = (filter: CallFilter, row: RecordingRow): boolean =>
    recordingPasses(filter, row, { index, state: rowState(row), tests: tests(row) }) === true;
  return {
    facts,
    state: rowState,
    /** The tests that used it; if there are none, the test that made it. */
    tests,
    /** Whether it came from the team. */
    isTeams: ({ address }: RecordingRow) => sources.isTeams?.(address.entry) === true,
    /** Findings of a section, newest first. `total` counts them without the filter. */
    findings(section: FindingSection, filter: CallFilter) {
      const own = state().findings.filter((one) => (isMissingCall(one) ? one.kind : "failures") === section);
      const shown = isFiltering(filter) ? own.filter((one) => findingPasses(filter, one, sources)) : own;
      return { rows: shown.map((finding): FindingRow => ({ kind: "finding", finding })), total: own.length };
    },
    /**
     * New recordings, those of them from failed tests, and accepted ones. A recording that is not read yet is left out
     * if the filter needs its facts.
     */
    async recordings(filter: CallFilter) {
      const all = await listRows(sources);
      const shown = isFiltering(filter) ? all.filter((row) => passes(filter, row)) : all;
      return {
        fresh: shown.filter(({ candidate }) => candidate && candidate.outcome !== "failed"),
        failed: shown.filter(({ candidate }) => candidate?.outcome === "failed"),
        kept: shown.filter(({ candidate }) => candidate === undefined),
      };
    },
    /** Returns the recordings of a test that were read, in call order, as turns of its conversations. */
    turns(own: readonly RecordingRow[], test: Pick<TestRef, "file" | "name">) {
      const ordered = sortByAsking(own, state().usage.entriesOf(test), (row) => ({
        ...row.address,
        recordedAt: readFacts(row)?.recordedAt ?? 0,
      }));
      const chains = buildChains(ordered, (row) => readFacts(row)?.turn);
      return layOutTurnLines(chains, (row) => readFacts(row)?.label ?? row.address.entry);
    },
  };
}

async function listRows({ index, state }: RowSources): Promise<readonly RecordingRow[]> {
  const { candidates } = state();
  return Array.from((await index.addresses()).values(), (address): RecordingRow => {
    const candidate = candidates.get(address.entry);
    return { kind: "recording", address, ...(candidate && { candidate }) };
  });
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

/** Undefined if more has to be read first, which has started. */
function recordingPasses(
  filter: CallFilter,
  { address: { entry, provider } }: RecordingRow,
  { index, state, tests: own }: FilteredRecording,
): boolean | undefined {
  const facts = index.facts(entry);
  const tests = lowerCase(own.flatMap(listTestTexts));
  return passesFilter(filter, {
    state,
    provider,
    model: facts?.kind === "read" ? facts.model : undefined,
    tests,
    contains(word) {
      if ([provider, ...tests].some((text) => text.includes(word)) || isNameOfFile(entry, word)) return true;
      if (facts === undefined) return undefined;
      if (facts.kind === "broken") return `broken ${facts.reason}`.toLowerCase().includes(word);
      return index.contains(entry, facts, word);
    },
  });
}

interface FilteredRecording {
  readonly index: RecordingIndex;
  readonly state: RowState;
  readonly tests: readonly TestRef[];
}

const lowerCase = (texts: readonly string[]): readonly string[] => texts.map((text) => text.toLowerCase());
