import type { TestRef } from "../../core/call/call.ts";
import { type TurnLine, listCallsOfLines } from "../../core/view/conversation/outline.ts";
import { groupIntoPages } from "../calls/pages-model.ts";
import { createFindingNode } from "./finding-nodes-model.ts";
import {
  createGroupNode,
  createOffNode,
  createRecordingNode,
  createSectionNode,
  createUnhookedNode,
} from "./call-nodes-model.ts";
import { type CallFilter, parseFilter, isFiltering } from "../calls/call-filter-model.ts";
import { type Grouping, groupRows, listMakers, needsFacts } from "./call-groups-model.ts";
import {
  type CallNode,
  type CallRow,
  type CallTarget,
  FINDING_SECTIONS,
  type FindingSection,
  type Group,
  type RecordingRow,
  type Section,
  findCall,
} from "../calls/call-node-model.ts";
import type { DocumentFolder } from "../documents/documents.ts";
import { type RowSources, type Rows, createRows } from "./call-rows-model.ts";

/** The filter and the grouping that a person chose. They apply to all folders. */
export interface TreeChoices {
  /** As typed; see `parseFilter`. */
  filterText: string;
  grouping: Grouping;
}

export type CallsModel = ReturnType<typeof createCallsModel>;

/** A folder with its part of the tree. */
export interface ViewFolder extends DocumentFolder {
  readonly model: CallsModel;
}

/** Maximum new recordings that are shown without groups. */
const FLAT = 12;
/** Folders up to this size are open from the start, and read before they are shown. */
const SMALL = 200;
/** Maximum recordings of a test that are arranged as turns. */
const TURNS = 20_000;
/** Maximum results of a filter that are shown without a click. */
const FEW = 60;

/** The tree as plain lines: findings, new recordings, kept ones, and MetaGPT's caches. */
export function createCallsModel(
  sources: RowSources,
  shown: TreeChoices = { filterText: "", grouping: "test" },
) {
  const opened = new Map<string, boolean>();
  const rows = createRows(sources);
  const roots = (): Promise<readonly CallNode[]> => new Tree({ sources, rows, shown, opened }).roots();
  return {
    /** Can be changed. */
    shown,
    /** Lines that a person opened or closed, by id. They keep their state while a filter hides them. */
    opened,
    rows,
    /** The sections that have something in them. Reads no recording unless the filter has to. */
    roots,
    /** The line of a recording or of a finding, by entry or id; undefined if it is filtered out or gone. */
    async find(subject: CallTarget) {
      if ("entry" in subject) await sources.index.ensure([subject.entry]);
      return findCall(await roots(), subject);
    },
  };
}

interface TreeParts extends Pick<CallsModel, "rows" | "shown"> {
  readonly sources: RowSources;
  readonly opened: ReadonlyMap<string, boolean>;
}

/** Rows of a section. `total` counts them without the filter. */
interface SectionRows {
  readonly section: Section;
  readonly rows: readonly CallRow[];
  readonly total: number;
}

interface GroupPlace {
  readonly parent: CallNode;
  readonly section: Section;
  /** Whether it is open at first. */
  readonly opens: boolean;
}

/** A snapshot of the lines. The children of its lines have the same filter and grouping. */
class Tree {
  readonly #sources: RowSources;
  readonly #rows: Rows;
  readonly #filter: CallFilter;
  readonly #isFiltered: boolean;
  readonly #grouping: Grouping;
  readonly #opened: ReadonlyMap<string, boolean>;
  readonly #now: number;
  /** Whether groups are open at first. */
  #opensGroups = false;
  /** Distinguishes the ids of trees with different open lines. */
  #prefix = "";

  constructor({ sources, rows, shown, opened }: TreeParts) {
    this.#sources = sources;
    this.#rows = rows;
    this.#filter = parseFilter(shown.filterText);
    this.#isFiltered = isFiltering(this.#filter);
    this.#grouping = shown.grouping;
    this.#opened = opened;
    this.#now = sources.now();
  }

  async roots(): Promise<readonly CallNode[]> {
    const { index } = this.#sources;
    const all = await index.addresses();
    if (mustRead(this.#filter)) await this.#beginReading();
    const findings = FINDING_SECTIONS.map((section) => ({
      section,
      ...this.#rows.findings(section, this.#filter),
    }));
    const { fresh, failed, kept } = await this.#rows.recordings(this.#filter);
    const candidates = [...this.#sources.state().candidates.values()].filter(({ entry }) => all.has(entry));
    const ofFailed = candidates.filter(({ outcome }) => outcome === "failed").length;
    const recordings: readonly SectionRows[] = [
      { section: "new", rows: fresh, total: candidates.length - ofFailed },
      { section: "failed", rows: failed, total: ofFailed },
      { section: "recordings", rows: kept, total: all.size - candidates.length },
    ];
    const calls = [...findings.filter(({ section }) => isCallSection(section)), ...recordings];
    const found = calls.filter(({ section }) => section !== "made-up");
    const isFew = found.reduce((count, { rows }) => count + rows.length, 0) <= FEW;
    this.#opensGroups = this.#isFiltered && isFew;
    this.#prefix = this.#isFiltered ? (isFew ? "few:" : "many:") : "";
    const isEmpty = calls.every(({ total }) => total === 0);
    return [
      ...findings
        .filter(({ section, rows }) => !isCallSection(section) && rows.length > 0)
        .map((one) => this.#section(one, all.size)),
      ...calls.filter((one) => this.#isShown(one, isEmpty)).map((one) => this.#section(one, all.size)),
      ...(await this.#caches()),
    ];
  }

  /** Keeps sections in place, even if they are empty, so that nothing jumps. A filter shows only those with results. */
  #isShown({ section, rows, total }: SectionRows, isEmpty: boolean): boolean {
    if (!this.#isFiltered) return !isEmpty && (total > 0 || !OPTIONAL.has(section));
    // More results may follow.
    const { progress, searches } = this.#sources.index;
    return rows.length > 0 || (section === "recordings" && (progress.reading || searches > 0));
  }

  #section({ section, rows, total }: SectionRows, size: number): CallNode {
    const isOpen = section !== "recordings" || this.#isFiltered || size <= SMALL;
    const findings = rows.filter((row) => row.kind === "finding");
    const recordings = rows.filter((row) => row.kind === "recording");
    return createSectionNode(section, {
      rows,
      total,
      prefix: section === "failures" ? "" : this.#prefix,
      isOpen: (id) => this.#opened.get(id) ?? isOpen,
      children: async (self) => {
        if (section === "recordings") return this.#groups(self, recordings);
        if (section === "new" || section === "failed") return this.#newRows(self, section, recordings);
        return findings.map(({ finding }) => createFindingNode(finding, this.#findingOptions(self)));
      },
    });
  }

  #findingOptions(parent: CallNode): Parameters<typeof createFindingNode>[1] {
    return { parent, now: this.#now, describe: this.#sources.describeMissing };
  }

  /** MetaGPT's caches, below a notice if Tapedeck cannot see its tests. */
  async #caches(): Promise<readonly CallNode[]> {
    const { caches, isOff, state } = this.#sources;
    const hasTests = (entry: string): boolean => state().usage.testsOf(entry).length > 0;
    const view = { filter: this.#filter, opened: this.#opened, hasTests };
    const nodes = (await caches?.(view)) ?? [];
    if (nodes.length === 0) return [];
    if (isOff?.() === true) return [createOffNode(), ...nodes];
    const { unreached, unreachedWhy } = state();
    const isUnhooked = unreached !== undefined && unreachedWhy === undefined;
    return isUnhooked ? [createUnhookedNode(unreached), ...nodes] : nodes;
  }

  /** Reads all recordings in the background. Waits for a small folder, so that its rows do not move later. */
  async #beginReading(): Promise<void> {
    const { index } = this.#sources;
    const addresses = await index.addresses();
    if (addresses.size <= SMALL) await index.ensure(addresses.keys());
    index.readAll();
  }

  async #groups(parent: CallNode, rows: readonly RecordingRow[]): Promise<readonly CallNode[]> {
    if (needsFacts(this.#grouping)) await this.#beginReading();
    const groups = groupRows(rows, this.#grouping, { of: this.#rows, now: this.#now });
    const place = { parent, section: "recordings", opens: this.#opensGroups } as const;
    return groups.map((group) => this.#group(group, place));
  }

  /** Always groups by test, because the new recordings of a test are accepted or discarded together. */
  async #newRows(
    parent: CallNode,
    section: "new" | "failed",
    rows: readonly RecordingRow[],
  ): Promise<readonly CallNode[]> {
    const groups = listMakers(rows);
    const [only] = groups;
    if (groups.length <= 1 && rows.length <= FLAT)
      return only?.test ? this.#turns(parent, rows, only.test) : this.#plainRows(parent, only?.rows ?? []);
    return groups.map((group) => this.#group(group, { parent, section, opens: rows.length <= FEW }));
  }

  #group(group: Group, place: GroupPlace): CallNode {
    const { rows, groups } = group;
    return createGroupNode(group, {
      ...place,
      isOpen: (id) => this.#opened.get(id) ?? place.opens,
      children: async (self) => {
        const inside = { ...place, parent: self };
        if (groups.length > 0) return groups.map((one) => this.#group(one, inside));
        const test = this.#testOf(group);
        if (test && rows.length <= TURNS) return this.#turns(self, rows, test);
        return (
          groupIntoPages(rows)?.map((page) =>
            this.#group({ ...groupOf(page, page.items), kind: group.kind }, inside),
          ) ?? this.#plainRows(self, rows)
        );
      },
    });
  }

  /** The test whose rows a group contains. A file's own rows come from its code outside tests. */
  #testOf({ test, kind, label }: Group): Pick<TestRef, "file" | "name"> | undefined {
    return test ?? (kind === "file" && this.#grouping === "test" ? { file: label, name: [] } : undefined);
  }

  async #plainRows(parent: CallNode, rows: readonly RecordingRow[]): Promise<readonly CallNode[]> {
    await this.#sources.index.ensure(rows.map((row) => row.address.entry));
    return rows.map((row) => createRecordingNode(row, this.#rowOptions(parent, row)));
  }

  #rowOptions(parent: CallNode, { address }: RecordingRow): Parameters<typeof createRecordingNode>[1] {
    return { parent, now: this.#now, rows: this.#rows, takes: this.#sources.index.takesBeside(address) };
  }

  /** Arranges a test's recordings as the turns of its conversations. Reads them first, to find which continues which. */
  async #turns(
    parent: CallNode,
    rows: readonly RecordingRow[],
    test: Pick<TestRef, "file" | "name">,
  ): Promise<readonly CallNode[]> {
    await this.#sources.index.ensure(rows.map((row) => row.address.entry));
    const lines = this.#rows.turns(rows, test);
    const pages = groupIntoPages(lines);
    if (pages === undefined) return lines.map((line) => this.#turn(line, parent));
    return pages.map((page) =>
      createGroupNode(groupOf(page, listCallsOfLines(page.items)), {
        parent,
        section: "recordings",
        isOpen: (id) => this.#opened.get(id) ?? false,
        children: async (self) => page.items.map((line) => this.#turn(line, self)),
      }),
    );
  }

  /** Opens later turns and branches at first, because few people look for them. */
  #turn(line: TurnLine<RecordingRow>, parent: CallNode): CallNode {
    const { call, below } = line;
    const options = { ...this.#rowOptions(parent, call), line };
    if (below.length === 0) return createRecordingNode(call, options);
    return createRecordingNode(call, options, {
      isOpen: (id) => this.#opened.get(id) ?? true,
      children: async (self) => below.map((one) => this.#turn(one, self)),
    });
  }
}

/** Findings among the calls; failures are above them, if there are any. */
const isCallSection = (section: FindingSection): boolean => section === "missing" || section === "made-up";

/** Sections that are shown only if they have rows. */
const OPTIONAL: ReadonlySet<Section> = new Set<Section>(["made-up", "failed"]);

/** Whether the filter needs facts that are only in the files. */
function mustRead({ words, models, tests, states }: CallFilter): boolean {
  return words.length + models.length + tests.length > 0 || states.includes("broken");
}

function groupOf({ id, label }: Pick<Group, "id" | "label">, rows: readonly RecordingRow[]): Group {
  return { id, kind: "none", label, rows, groups: [] };
}
