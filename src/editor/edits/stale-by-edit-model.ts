import type { Recording } from "../../core/cassette/recording.ts";
import { isTapedeckError } from "../../core/errors.ts";
import type { Key, TestRef } from "../../core/exchange.ts";
import { readBody } from "../../core/match/canonical.ts";
import { computeKey, type Sha256 } from "../../core/match/key.ts";
import type { JsonTree } from "../../core/wire/json-tree.ts";
import type { FoundTest } from "../tests/found-test-model.ts";
import { resolveTest } from "../tests/resolve-test-model.ts";
import { chunkChanges, type ChunkChange } from "./chunk-changes-model.ts";
import type { Chunk } from "./literals-model.ts";
import { FORMS, sourcesOf, standsIn, textsOf, withTexts } from "./request-texts-model.ts";
import type { Region, RequestText } from "./request-texts-model.ts";
import type { StaleEdit } from "./stale-edit-model.ts";

/** A source file at one time: its literals and its tests. */
export interface SourceState {
  readonly chunks: readonly Chunk[];
  readonly tests: readonly FoundTest[];
}

export interface EditedFile {
  /** Relative to the workspace folder, as in a TestRef. */
  readonly file: string;
  /** As it was when its tests last ran. */
  readonly before: SourceState;
  readonly now: SourceState;
}

/** A recording that the file may have to do with. */
export interface EditedRecording {
  readonly entry: string;
  /** The tests that use it. */
  readonly tests: readonly TestRef[];
  readonly recording: Pick<Recording, "provider" | "operation" | "key" | "request">;
}

export interface EditSources {
  readonly recordings: Iterable<EditedRecording>;
  readonly sha256: Sha256;
  /** The recording that answers a key, where there is one. */
  readonly answers: (provider: string, key: Key) => string | undefined;
}

/** What an edit does to recordings before any test ran again, by entry. An edit that is undone does nothing. */
export function staleByEdit(edited: EditedFile, sources: EditSources): ReadonlyMap<string, StaleEdit> {
  const changes = chunkChanges(edited.before.chunks, edited.now.chunks);
  const found = new Map<string, StaleEdit>();
  if (changes.length === 0) return found;
  for (const one of sources.recordings) {
    const edit = editOf(one, { ...edited, changes }, sources);
    if (edit) found.set(one.entry, edit);
  }
  return found;
}

type Changed = EditedFile & { readonly changes: readonly ChunkChange[] };

function editOf(
  { tests, recording }: EditedRecording,
  changed: Changed,
  { sha256, answers }: EditSources,
): StaleEdit | undefined {
  const body = bodyOf(recording);
  if (body === undefined) return undefined;
  const texts = textsOf(body);
  if (!changed.changes.some(({ before }) => standsIn(texts, before.text))) return undefined;
  const seen = viewOf(tests, changed);
  if (seen === undefined) return undefined;
  const sources = sourcesOf(
    texts,
    seen.before.map(({ text }) => text),
  );
  const affected = affectedBy(changed, seen, sources);
  const [first] = affected;
  if (first === undefined) return undefined;
  const after = substituted(body, texts, { affected, sources });
  const newKey = after === undefined ? undefined : keyOf(recording, after, sha256);
  if (newKey === recording.key) return undefined;
  const answeredBy = newKey === undefined ? undefined : answers(recording.provider, newKey);
  return {
    isCertain: affected.some(({ isCertain }) => isCertain),
    ...(newKey !== undefined && { newKey }),
    ...(answeredBy !== undefined && { answeredBy }),
    file: changed.file,
    text: changeText(first),
  };
}

/** What a recording's tests can see of the file before and now. */
interface View {
  readonly before: readonly Chunk[];
  readonly now: readonly Chunk[];
}

/** Undefined where the tests went with the edit: what nobody runs misses nothing. */
function viewOf(tests: readonly TestRef[], { file, before, now }: Changed): View | undefined {
  const own = tests.filter((test) => test.file === file);
  const declared = own.map((test) => resolveTest(before.tests, test));
  if (own.length === 0 || declared.includes(undefined)) return { before: before.chunks, now: now.chunks };
  const paths = declared.flatMap((test) => (test ? [test.path] : []));
  const left = paths.filter((path) => now.tests.some((test) => isPath(test.path, path)));
  if (left.length === 0) {
    const isDeleted = now.tests.length < before.tests.length;
    return isDeleted ? undefined : { before: visibleTo(paths, before), now: now.chunks };
  }
  return { before: visibleTo(left, before), now: visibleTo(left, now) };
}

/** What stands in one of the tests, in a suite around it, or outside of all tests. */
function visibleTo(paths: readonly (readonly string[])[], { chunks, tests }: SourceState): readonly Chunk[] {
  return chunks.filter(({ line }) => {
    const scope = tests
      .filter((test) => test.firstLine <= line && line <= test.endLine)
      .reduce<readonly string[]>((deepest, { path }) => (path.length > deepest.length ? path : deepest), []);
    return paths.some((path) => scope.every((title, index) => title === path[index]));
  });
}

function isPath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((title, index) => title === b[index]);
}

/** A literal that the request is made of and that changed. */
interface Affected {
  readonly text: string;
  /** What stands in its place; undefined where nobody can say. */
  readonly now: string | undefined;
  readonly isCertain: boolean;
}

function affectedBy(
  { changes }: Changed,
  seen: View,
  sources: ReadonlyMap<string, readonly Region[]>,
): readonly Affected[] {
  const before = countsOf(seen.before);
  const now = countsOf(seen.now);
  const visible = new Set(seen.before);
  const byText = new Map<string, ChunkChange[]>();
  for (const change of changes) {
    const { text } = change.before;
    if (!visible.has(change.before) || !sources.has(text)) continue;
    const others = byText.get(text);
    if (others) others.push(change);
    else byText.set(text, [change]);
  }
  return [...byText].flatMap(([text, all]) => {
    const left = now.get(text) ?? 0;
    // Only moved, to where the tests see it as well.
    if (left >= (before.get(text) ?? 0)) return [];
    const texts = new Set(all.map((change) => change.now?.text));
    const [only] = texts;
    const isCertain = left === 0;
    return [{ text, isCertain, now: isCertain && texts.size === 1 ? only : undefined }];
  });
}

function countsOf(chunks: readonly Chunk[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { text } of chunks) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

interface Substitution {
  readonly affected: readonly Affected[];
  readonly sources: ReadonlyMap<string, readonly Region[]>;
}

/** The body with the literals as they are now; undefined where it cannot be said of all of them. */
function substituted(
  body: JsonTree,
  texts: readonly RequestText[],
  { affected, sources }: Substitution,
): JsonTree | undefined {
  const edits: { readonly region: Region; readonly text: string }[] = [];
  for (const { text, now } of affected) {
    if (now === undefined) return undefined;
    for (const region of sources.get(text) ?? [])
      edits.push({ region, text: FORMS[region.form]?.(now) ?? now });
  }
  const after = texts.map(({ text }) => text);
  for (const { region, text } of edits.sort((a, b) => b.region.from - a.region.from)) {
    const whole = after[region.at] ?? "";
    after[region.at] = whole.slice(0, region.from) + text + whole.slice(region.to);
  }
  let at = 0;
  return withTexts(body, ({ text }) => after[at++] ?? text);
}

/** Undefined for what is no JSON, of which no literal can be told. */
function bodyOf({ request }: EditedRecording["recording"]): JsonTree | undefined {
  try {
    const body = readBody(request);
    return body.kind === "json" ? body.tree : undefined;
  } catch (error) {
    if (isTapedeckError(error)) return undefined;
    throw error;
  }
}

function keyOf(
  { provider, operation, request }: EditedRecording["recording"],
  tree: JsonTree,
  sha256: Sha256,
): Key | undefined {
  const { method, path } = request;
  if (namesTwice(tree)) return undefined;
  return computeKey({ provider, operation, method, path, body: { kind: "json", tree } }, sha256);
}

/** A member renamed to one that is there makes a body that no client can send. */
function namesTwice(tree: JsonTree): boolean {
  if (tree === null || typeof tree !== "object") return false;
  if (Array.isArray(tree)) return tree.some(namesTwice);
  if (!("members" in tree)) return false;
  const names = tree.members.map(([name]) => name);
  return new Set(names).size < names.length || tree.members.some(([, value]) => namesTwice(value));
}

function changeText({ text, now }: Affected): string {
  return now === undefined ? excerpt(text) : `${excerpt(text)} → ${excerpt(now)}`;
}

const EXCERPT = 40;

function excerpt(text: string): string {
  const characters = Array.from(text.replaceAll(/\s+/gu, " ").trim());
  return `"${characters.length <= EXCERPT ? characters.join("") : `${characters.slice(0, EXCERPT - 1).join("")}…`}"`;
}
