import { compareTexts } from "../../core/base/compare.ts";
import { localize } from "../../core/base/localize.ts";
import type { TestRef } from "../../core/call/call.ts";
import { isOutsideTests, formatTestTitle } from "../../core/call/test-names.ts";
import type { Rows } from "./call-rows-model.ts";
import type { Group, RecordingRow } from "../calls/call-node-model.ts";
import { mapGroups } from "../../core/base/group-by.ts";

export const GROUPINGS = ["test", "file", "provider", "model", "day"] as const;

export type Grouping = (typeof GROUPINGS)[number];

export function isGrouping(value: unknown): value is Grouping {
  return GROUPINGS.some((grouping) => grouping === value);
}

/** Whether rows can be put into groups by their file names alone. */
export const needsFacts = (grouping: Grouping): boolean => grouping !== "provider";

/** Groups in the order in which they are shown. A recording that several tests use is in the group of each. */
export function groupRows(
  rows: readonly RecordingRow[],
  grouping: Grouping,
  { of, now }: { readonly of: Rows; readonly now: number },
): readonly Group[] {
  const groups = new Map<string, GroupDraft>();
  for (const row of rows) {
    for (const place of placesOf(row, grouping, { of, now })) {
      const group = groups.get(place.id) ?? { ...place, rows: [] };
      groups.set(place.id, group);
      group.rows.push(row);
    }
  }
  const sorted = [...groups.values()].sort(
    (a, b) => a.order.localeCompare(b.order) || compareTexts(a.id, b.id),
  );
  return sorted.map((group) => finishGroup(group, grouping, of));
}

/** Groups new recordings by the test that made them, in recording order. Reads no files. */
export function listMakers(rows: readonly RecordingRow[]): readonly Group[] {
  const groups = new Map<string, { readonly test: TestRef | undefined; readonly rows: RecordingRow[] }>();
  const madeAt = ({ candidate }: RecordingRow): number => candidate?.recordedAt ?? 0;
  for (const row of rows.toSorted((a, b) => madeAt(a) - madeAt(b) || byEntry(a, b))) {
    const test = row.candidate?.test;
    const id = test ? `test:${JSON.stringify([test.file, test.name])}` : NO_TEST.id;
    const group = groups.get(id) ?? { test, rows: [] };
    groups.set(id, group);
    group.rows.push(row);
  }
  const labels = makerLabels([...groups.values()].flatMap(({ test }) => test ?? []));
  return Array.from(groups, ([id, { test, rows: own }]) => ({
    id,
    kind: test ? ("test" as const) : ("none" as const),
    label: (test && labels.get(test)) ?? NO_TEST.label,
    rows: own,
    groups: [],
    ...(test && { test }),
  }));
}

function makerLabels(tests: readonly TestRef[]): ReadonlyMap<TestRef, string> {
  const inside = tests.filter((test) => !isOutsideTests(test));
  const labels = labelTests(inside);
  return new Map(
    tests.map((test) => [test, labels[inside.indexOf(test)] ?? [test.file, ...test.name].join(" › ")]),
  );
}

type Place = Pick<Group, "id" | "kind" | "label"> & { readonly order: string };
type GroupDraft = Place & { readonly rows: RecordingRow[] };

const BROKEN: Place = { id: "broken", kind: "broken", label: localize("Broken"), order: "0" };
const NO_TEST: Place = { id: "none", kind: "none", label: localize("Unknown test"), order: "2" };
const NO_MODEL: Place = { id: "none", kind: "none", label: localize("No model"), order: "2" };

function placesOf(
  row: RecordingRow,
  grouping: Grouping,
  { of, now }: { readonly of: Rows; readonly now: number },
): readonly Place[] {
  if (grouping === "provider") return [groupPlace("provider", row.address.provider)];
  const facts = of.facts(row);
  if (facts === undefined) return [];
  if (facts.kind === "broken") return [BROKEN];
  if (grouping === "model") return [facts.model === undefined ? NO_MODEL : groupPlace("model", facts.model)];
  if (grouping === "day") return [dayOf(facts.recordedAt, now)];
  const files = new Set(of.tests(row).map((test) => test.file));
  return files.size === 0 ? [NO_TEST] : [...files].map((file) => groupPlace("file", file));
}

function groupPlace(kind: Group["kind"], label: string): Place {
  return { id: `${kind}:${label}`, kind, label, order: "1" };
}

const DAY_MS = 86_400_000;

/** A day in the local time zone. Newer days sort first. */
function dayOf(at: number, now: number): Place {
  const date = new Date(at);
  const start = startOfDay(date);
  const days = Math.round((startOfDay(new Date(now)) - start) / DAY_MS);
  const formatDate = (): string => date.toLocaleDateString(localize("en-US"), { dateStyle: "full" });
  const label = days === 0 ? localize("Today") : days === 1 ? localize("Yesterday") : formatDate();
  const order = String(Number.MAX_SAFE_INTEGER - start).padStart(17, "0");
  return { id: `day:${start}`, kind: "day", label, order: `1${order}` };
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

function finishGroup(group: GroupDraft, grouping: Grouping, of: Rows): Group {
  const { id, kind, label, rows } = group;
  const isFile = kind === "file";
  const groups = isFile && grouping === "test" ? testGroups(rows, label, of) : [];
  return { id, kind, label, groups, rows: isFile ? inOrderOfUse(rows, of) : newestFirst(rows, of) };
}

function testGroups(rows: readonly RecordingRow[], file: string, of: Rows): readonly Group[] {
  const groups = new Map<string, { readonly test: TestRef; readonly rows: RecordingRow[] }>();
  for (const row of rows) {
    for (const test of of.tests(row)) {
      if (test.file !== file) continue;
      const id = JSON.stringify(test.name);
      const group = groups.get(id) ?? { test, rows: [] };
      groups.set(id, group);
      group.rows.push(row);
    }
  }
  // For a script or module-level code alone, the file name is enough.
  if ([...groups.values()].every(({ test }) => test.name.length === 0)) return [];
  const labels = labelTests([...groups.values()].map(({ test }) => test));
  return [...groups]
    .map(([id, { test, rows: own }], at) => ({
      id,
      kind: "test" as const,
      label: labels[at] || localize("Outside tests"),
      test,
      rows: inOrderOfUse(own, of),
      groups: [],
    }))
    .sort((a, b) => (a.test.line ?? 0) - (b.test.line ?? 0) || compareTexts(a.label, b.label));
}

function inOrderOfUse(rows: readonly RecordingRow[], of: Rows): readonly RecordingRow[] {
  return rows.toSorted((a, b) => recordedAt(a, of) - recordedAt(b, of) || byEntry(a, b));
}

/** Until all rows are read, uses the order of the files, which stays stable while reading continues. */
function newestFirst(rows: readonly RecordingRow[], of: Rows): readonly RecordingRow[] {
  const isAllRead = rows.every((row) => of.facts(row) !== undefined);
  return rows.toSorted((a, b) => (isAllRead ? recordedAt(b, of) - recordedAt(a, of) : 0) || byEntry(a, b));
}

function recordedAt(row: RecordingRow, of: Rows): number {
  const facts = of.facts(row);
  return facts?.kind === "read" ? facts.recordedAt : 0;
}

function byEntry(a: RecordingRow, b: RecordingRow): number {
  return compareTexts(a.address.key, b.address.key) || a.address.take - b.address.take;
}

type Test = Pick<TestRef, "file" | "name">;

/**
 * The labels of rows that stand for tests, in the order of `tests`. A suite is left out when it is named like its file
 * or contains all tests of its file, because in a narrow view only the first words of a label are visible.
 */
export function labelTests(tests: readonly Test[]): readonly string[] {
  const named = tests.filter(({ name }) => name.length > 0);
  const siblings = mapGroups(named, ({ file }) => file);
  const labels = tests.map((test) => {
    const omitted = suitesToOmit(test, siblings.get(test.file) ?? []);
    return formatTestTitle({ ...test, name: test.name.slice(omitted) });
  });
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return tests.map((test, at) => {
    const label = labels[at] ?? "";
    return counts.get(label) === 1 ? label : formatTestTitle(test);
  });
}

function suitesToOmit({ file, name }: Test, siblings: readonly Test[]): number {
  const stem = comparable(file.replace(/^.*\//su, "").replace(/\.[^.]*$/u, ""));
  const isShared = (suite: string, at: number): boolean =>
    siblings.length > 1 && siblings.every((other) => other.name.length > at + 1 && other.name[at] === suite);
  const suites = name.slice(0, -1);
  const kept = suites.findIndex((suite, at) => comparable(suite) !== stem && !isShared(suite, at));
  return kept < 0 ? suites.length : kept;
}

/** "test_classify", "classify.spec", and "ClassifyTest" name the same subject. */
function comparable(name: string): string {
  return name
    .toLowerCase()
    .replace(/tests?|spec/gu, "")
    .replace(/[^\p{L}\p{N}]/gu, "");
}
