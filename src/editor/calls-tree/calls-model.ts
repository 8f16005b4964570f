import { type CallFilter, filterFromText, isFiltering } from "./call-filter-model.ts";
import { type Grouping, groupRows, makersOf, needsFacts } from "./call-groups-model.ts";
import { countText } from "../../core/plural.ts";
import {
  groupNode,
  offNode,
  recordingNode,
  sectionNode,
  straysNode,
  unhookedNode,
} from "./call-nodes-model.ts";
import { type Rows, type RowSources, createRows } from "./call-rows-model.ts";
import { isRecordingFast } from "../runs/recording-pace-model.ts";
import { findingNode } from "../findings/finding-node-model.ts";
import { PAGE, turnNodes, type TurnsOf } from "./turn-nodes-model.ts";
import { findCall } from "./find-call-model.ts";
import {
  FINDING_SECTIONS,
  type CallNode,
  type CallTarget,
  type FindingRow,
  type FindingSection,
  type Group,
  type RecordingRow,
  type Section,
} from "./call-node-model.ts";

/** What a person chose to see, in all folders alike. */
export interface Shown {
  /** As typed; see `filterFromText`. */
  filterText: string;
  grouping: Grouping;
}

export interface CallsModel extends Shown {
  /** Lines that a person opened or closed, by id: they stay so while a filter takes them away for a time. */
  readonly opened: Map<string, boolean>;
  readonly rows: Rows;
  /** The sections that have something in them. Reads no recording unless the filter has to. */
  roots(): Promise<readonly CallNode[]>;
  /** The line of a recording or of a finding, by entry or id; undefined where it is filtered out or gone. */
  find(subject: CallTarget): Promise<CallNode | undefined>;
}

/** So many new recordings are shown without groups. */
const FLAT = 12;
/** Folders up to this size are open from the start, and read before they are shown. */
const SMALL = 200;
/** An editor keeps a line open that was: folded, it is another line. */
const FOLDED = "folded:";
/** Of a test with more recordings no turns are looked for. */
const TURNS = 20_000;
/** So many results of a filter are shown without a click. */
const FEW = 60;

/** The tree as plain lines: Missing, New, Recordings, and what is among them and is none. */
export function createCallsModel(
  sources: RowSources,
  shown: Shown = { filterText: "", grouping: "test" },
): CallsModel {
  const rows = createRows(sources);
  const model: CallsModel = {
    get filterText() {
      return shown.filterText;
    },
    set filterText(text) {
      shown.filterText = text;
    },
    get grouping() {
      return shown.grouping;
    },
    set grouping(grouping) {
      shown.grouping = grouping;
    },
    opened: new Map(),
    rows,
    roots: () => rootsOf(contextOf(model, sources)),
    async find(subject) {
      if ("entry" in subject) await sources.index.ensure([subject.entry]);
      return findCall(await model.roots(), subject);
    },
  };
  return model;
}

interface Context {
  readonly rows: Rows;
  readonly sources: RowSources;
  readonly filter: CallFilter;
  readonly grouping: Grouping;
  readonly opened: ReadonlyMap<string, boolean>;
  readonly now: number;
}

function contextOf(model: CallsModel, sources: RowSources): Context {
  const { rows, grouping, filterText, opened } = model;
  return { rows, sources, grouping, opened, filter: filterFromText(filterText), now: sources.now() };
}

async function rootsOf(context: Context): Promise<readonly CallNode[]> {
  const { filter, rows, sources } = context;
  const all = await sources.index.addresses();
  if (mustRead(filter)) await beginReading(context, all.size);
  const findings = FINDING_SECTIONS.map((name) => ({ name, ...rows.findings(name, filter) }));
  const { fresh, failed, kept } = await rows.recordings(filter);
  const { candidates } = sources.state();
  const there = [...candidates.values()].filter(({ entry }) => all.has(entry));
  const allFailed = there.filter(({ outcome }) => outcome === "failed").length;
  const allFresh = there.length - allFailed;
  const filtered = isFiltering(filter);
  const missing = findings.find(({ name }) => name === "missing")?.rows ?? [];
  const few = missing.length + fresh.length + failed.length + kept.length <= FEW;
  const opening = { ...context, openGroups: filtered && few };
  const prefix = filtered ? (few ? "few:" : "many:") : "";
  const strays = filtered ? [] : (sources.strays?.() ?? []);
  const caches = await cacheNodes(context);
  const isOpen = (id: string): boolean => context.opened.get(id) ?? true;
  // It stands above the recordings: rows that come faster than a person reads would push these away.
  const isFolded = isRecordingFast(sources.state().calls, context.now);
  const newSection = (section: "new" | "failed", own: readonly RecordingRow[], total: number): CallNode =>
    sectionNode(section, {
      rows: own,
      total,
      prefix: isFolded ? `${prefix}${FOLDED}` : prefix,
      isOpen: isFolded ? (id) => context.opened.get(id) ?? false : isOpen,
      children: (self) => newChildren(self, { section, rows: own }, opening),
    });
  const { above, calls, total } = findingSections(findings, context, prefix);
  const sections = [
    ...calls,
    newSection("new", fresh, allFresh),
    ...(allFailed > 0 ? [newSection("failed", failed, allFailed)] : []),
    sectionNode("recordings", {
      rows: kept,
      total: all.size - there.length,
      prefix,
      isOpen: (id) => context.opened.get(id) ?? (filtered || all.size <= SMALL),
      children: (self) => recordingChildren(self, { section: "recordings", rows: kept }, opening),
    }),
  ].filter((section) => isShown(section, context, { total: all.size + total, prefix }));
  const roots = [...above, ...sections, ...caches];
  if (strays.length === 0) return roots;
  return [...roots, straysNode(strays, context.opened.get("strays") ?? false)];
}

/** MetaGPT's caches, below what keeps Tapedeck from its tests. */
async function cacheNodes({ filter, opened, now, sources }: Context): Promise<readonly CallNode[]> {
  const hasTests = (entry: string): boolean => sources.state().testsOf(entry).length > 0;
  const caches = (await sources.caches?.({ filter, opened, now, hasTests })) ?? [];
  if (caches.length === 0) return [];
  if (sources.isOff?.() === true) return [offNode(), ...caches];
  const { unreached, unreachedWhy } = sources.state();
  const isUnhooked = unreached !== undefined && unreachedWhy === undefined;
  return isUnhooked ? [unhookedNode(unreached), ...caches] : caches;
}

/** Calls without a recording are shown among the calls; failures and faults above them, if there are any. */
const isCallSection = (name: FindingSection): boolean => name === "missing" || name === "made-up";

interface FoundRows {
  readonly name: FindingSection;
  readonly rows: readonly FindingRow[];
  readonly total: number;
}

function findingSections(
  findings: readonly FoundRows[],
  context: Context,
  prefix: string,
): { readonly above: readonly CallNode[]; readonly calls: readonly CallNode[]; readonly total: number } {
  const section = ({ name, rows, total }: FoundRows): CallNode =>
    sectionNode(name, {
      rows,
      total,
      prefix: isCallSection(name) ? prefix : "",
      isOpen: (id) => context.opened.get(id) ?? true,
      children: (self) => findingChildren(self, rows, context),
    });
  const calls = findings.filter(
    ({ name, total }) => name === "missing" || (isCallSection(name) && total > 0),
  );
  return {
    above: findings.filter(({ name, rows }) => !isCallSection(name) && rows.length > 0).map(section),
    calls: calls.map(section),
    total: calls.reduce((sum, { total }) => sum + total, 0),
  };
}

function hasRows(subject: CallNode["subject"]): boolean {
  return subject.kind === "section" && subject.rows.length > 0;
}

/** Then nothing found yet does not mean that nothing is there. */
function isStillReading({ filter, sources }: Context): boolean {
  return isFiltering(filter) && (sources.index.progress.reading || sources.index.searches > 0);
}

/** Sections stay where they are, also empty ones, so that nothing jumps; a filter shows what it found. */
function isShown(
  { subject, id }: CallNode,
  context: Context,
  all: { readonly total: number; readonly prefix: string },
): boolean {
  if (!isFiltering(context.filter)) return all.total > 0;
  return hasRows(subject) || (isStillReading(context) && id === `${all.prefix}recordings`);
}

/** Whether the filter asks for something that only the files say. */
function mustRead({ words, models, tests, states, ages }: CallFilter): boolean {
  return words.length + models.length + tests.length + ages.length > 0 || states.includes("broken");
}

/** Reads all in the background; a small folder is worth waiting for, because the tree then stands still. */
async function beginReading({ sources }: Context, total: number): Promise<void> {
  const { index } = sources;
  if (total <= SMALL) await index.ensure((await index.addresses()).keys());
  index.readAll();
}

function findingChildren(
  parent: CallNode,
  rows: readonly FindingRow[],
  { now, sources }: Context,
): Promise<readonly CallNode[]> {
  const options = {
    parent,
    now,
    describe: sources.describeMissing,
    hasTeam: sources.asksTeam?.() === true,
  };
  return Promise.resolve(rows.map(({ finding }) => findingNode(finding, options)));
}

/** `openGroups`: whether groups show their content without a click. */
type Opening = Context & { readonly openGroups: boolean };

async function recordingChildren(
  parent: CallNode,
  { section, rows }: { readonly section: Section; readonly rows: readonly RecordingRow[] },
  context: Opening,
): Promise<readonly CallNode[]> {
  const { grouping, now, sources } = context;
  if (needsFacts(grouping)) await beginReading(context, (await sources.index.addresses()).size);
  const groups = groupRows(rows, grouping, { of: context.rows, now });
  return groups.map((group) => openGroup(group, { parent, section, context }));
}

/** By the test that made them, whatever the rest is grouped by: a test's are accepted or discarded together. */
async function newChildren(
  parent: CallNode,
  { section, rows }: { readonly section: "new" | "failed"; readonly rows: readonly RecordingRow[] },
  context: Opening,
): Promise<readonly CallNode[]> {
  const groups = makersOf(rows);
  const [only] = groups;
  if (groups.length <= 1 && rows.length <= FLAT)
    return only?.test
      ? turnNodes(parent, { rows, test: only.test }, context)
      : rowNodes(parent, inOrderOfRecording(rows), context);
  const open = { ...context, openGroups: rows.length <= FEW };
  return groups.map((group) => openGroup(group, { parent, section, context: open }));
}

interface GroupPlace {
  readonly parent: CallNode;
  readonly section: Section;
  readonly context: Opening;
}

function openGroup(group: Group, { parent, section, context }: GroupPlace): CallNode {
  return groupNode(group, {
    parent,
    section,
    isOpen: (id) => context.opened.get(id) ?? context.openGroups,
    children: async (self) => {
      const test = group.groups.length > 0 ? undefined : testOf(group, context);
      if (test && group.rows.length <= TURNS) return turnNodes(self, { rows: group.rows, test }, context);
      const inner = group.groups.length > 0 ? group.groups : pagesOf(group);
      if (inner.length === 0) return rowNodes(self, group.rows, context);
      return inner.map((one) => openGroup(one, { parent: self, section, context }));
    },
  });
}

/** The test whose rows a group holds. A file's own rows are those of its code outside of tests. */
function testOf({ test, kind, label }: Group, { grouping }: Context): TurnsOf["test"] | undefined {
  return test ?? (kind === "file" && grouping === "test" ? { file: label, name: [] } : undefined);
}

function pagesOf({ kind, rows }: Group): readonly Group[] {
  if (rows.length <= PAGE) return [];
  const starts = Array.from({ length: Math.ceil(rows.length / PAGE) }, (_, index) => index * PAGE);
  return starts.map((start) => {
    const own = rows.slice(start, start + PAGE);
    const label = `${countText(start + 1)} to ${countText(start + own.length)}`;
    return { id: `from ${start}`, kind, label, rows: own, groups: [] };
  });
}

async function rowNodes(
  parent: CallNode,
  rows: readonly RecordingRow[],
  { sources, rows: known, now }: Context,
): Promise<readonly CallNode[]> {
  await sources.index.ensure(rows.map((row) => row.address.entry));
  return rows.map((row) =>
    recordingNode(row, { parent, now, rows: known, takes: sources.index.takesBeside(row.address) }),
  );
}

function inOrderOfRecording(rows: readonly RecordingRow[]): readonly RecordingRow[] {
  return rows.toSorted((a, b) => (a.candidate?.recordedAt ?? 0) - (b.candidate?.recordedAt ?? 0));
}
