import type { Recording } from "../../core/cassette/recording.ts";
import { isTapedeckError } from "../../core/errors.ts";
import type { Key, TestRef } from "../../core/exchange.ts";
import { canonicalJson } from "../../core/match/canonical-json.ts";
import { readBody } from "../../core/match/canonical.ts";
import { computeKey, type Normaliser, type Sha256 } from "../../core/match/key.ts";
import type { JsonTree } from "../../core/wire/json-tree.ts";
import type { FoundTest } from "../tests/found-test-model.ts";
import { resolveTest } from "../tests/resolve-test-model.ts";
import { chunkChanges, type ChunkChange } from "./chunk-changes-model.ts";
import type { Chunk, Literals } from "./literals-model.ts";
import { affectedOptions, withOptions, type AffectedOption, type SourceOption } from "./options-model.ts";
import { FORMS, sourcesOf, standsIn, textsOf, withTexts } from "./request-texts-model.ts";
import type { Region, RequestText } from "./request-texts-model.ts";
import type { StaleEdit } from "./stale-edit-model.ts";

/** A source file at one time: its literals and its tests. */
export interface SourceState extends Literals {
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
  /** A test that uses it calls from this file. */
  readonly isCalledFrom?: boolean;
}

export interface EditSources {
  readonly recordings: Iterable<EditedRecording>;
  readonly sha256: Sha256;
  /** The recording that answers a key, where there is one. */
  readonly answers: (provider: string, key: Key) => string | undefined;
  /** The project's rules: an edit of what they leave out makes no other call. */
  readonly normalise?: Normaliser;
}

/** What an edit does to recordings before any test ran again, by entry. An edit that is undone does nothing. */
export function staleByEdit(edited: EditedFile, sources: EditSources): ReadonlyMap<string, StaleEdit> {
  const { before, now } = edited;
  const changes = chunkChanges(before.chunks, now.chunks);
  const optionChanges = chunkChanges(before.options, now.options);
  const found = new Map<string, StaleEdit>();
  if (changes.length === 0 && optionChanges.length === 0) return found;
  for (const one of sources.recordings) {
    const edit = editOf(one, { ...edited, changes, optionChanges }, sources);
    if (edit) found.set(one.entry, edit);
  }
  return found;
}

type Changed = EditedFile & {
  readonly changes: readonly ChunkChange[];
  readonly optionChanges: readonly ChunkChange<SourceOption>[];
};

function editOf(one: EditedRecording, changed: Changed, edit: EditSources): StaleEdit | undefined {
  const { tests, recording } = one;
  const body = bodyOf(recording);
  const seen = body === undefined ? undefined : viewOf(tests, changed);
  if (body === undefined || seen === undefined) return undefined;
  const texts = textsOf(body);
  const sources = changed.changes.some(({ before }) => standsIn(texts, before.text))
    ? sourcesOf(
        texts,
        seen.before.chunks.map(({ text }) => text),
      )
    : new Map<string, readonly Region[]>();
  const affected = affectedBy(changed, seen, sources);
  const options = optionsOf(one, { changed, seen, body });
  const text = affected[0] ? changeText(affected[0]) : options[0] && optionText(options[0]);
  if (text === undefined) return undefined;
  const after = substituted(body, texts, { affected, sources });
  const newTree = withOptions(after.tree, options, UNKNOWN_VALUE);
  const key = keyOf(recording, newTree, edit);
  // What the rules leave out may be anything.
  if (key === keyOf(recording, body, edit)) return undefined;
  const isKnown = after.isKnown && options.every(({ now }) => now !== undefined);
  const answeredBy = isKnown && key !== undefined ? edit.answers(recording.provider, key) : undefined;
  return {
    isCertain: [...affected, ...options].some(({ isCertain }) => isCertain),
    ...(isKnown && key !== undefined && { newKey: key }),
    ...(answeredBy !== undefined && { answeredBy }),
    file: changed.file,
    text,
  };
}

/** Stand for what nobody can say: no request has these. */
const UNKNOWN_TEXT = "\uE000unknown\uE000";
const UNKNOWN_VALUE: JsonTree = { number: "1.2345678987654321e-89" };

/** A name with its value stands in many files: only those that the tests call from say something of a request. */
function optionsOf(
  { tests, isCalledFrom }: EditedRecording,
  { changed, seen, body }: { readonly changed: Changed; readonly seen: View; readonly body: JsonTree },
): readonly AffectedOption[] {
  const isOwn = tests.some(({ file, at }) => file === changed.file || at?.file === changed.file);
  if (!isOwn && isCalledFrom !== true) return [];
  const { before, now } = seen;
  return affectedOptions(body, {
    before: before.options,
    now: now.options,
    changes: changed.optionChanges,
  });
}

/** What a recording's tests can see of the file before and now. */
interface View {
  readonly before: Literals;
  readonly now: Literals;
}

/** Undefined where the tests went with the edit: what nobody runs misses nothing. */
function viewOf(tests: readonly TestRef[], { file, before, now }: Changed): View | undefined {
  const own = tests.filter((test) => test.file === file);
  const declared = own.map((test) => resolveTest(before.tests, test));
  if (own.length === 0 || declared.includes(undefined)) return { before, now };
  const paths = declared.flatMap((test) => (test ? [test.path] : []));
  const left = paths.filter((path) => now.tests.some((test) => isPath(test.path, path)));
  if (left.length === 0) {
    const isDeleted = now.tests.length < before.tests.length;
    return isDeleted ? undefined : { before: visibleTo(paths, before), now };
  }
  return { before: visibleTo(left, before), now: visibleTo(left, now) };
}

/** What stands in one of the tests, in a suite around it, or outside of all tests. */
function visibleTo(paths: readonly (readonly string[])[], { chunks, options, tests }: SourceState): Literals {
  const isVisible = ({ line }: Chunk): boolean => {
    const scope = tests
      .filter((test) => test.firstLine <= line && line <= test.endLine)
      .reduce<readonly string[]>((deepest, { path }) => (path.length > deepest.length ? path : deepest), []);
    return paths.some((path) => scope.every((title, index) => title === path[index]));
  };
  return { chunks: chunks.filter(isVisible), options: options.filter(isVisible) };
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
  const before = countsOf(seen.before.chunks);
  const now = countsOf(seen.now.chunks);
  const visible = new Set(seen.before.chunks);
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

/** The body with the literals as they are now, and whether that can be said of all of them. */
function substituted(
  body: JsonTree,
  texts: readonly RequestText[],
  { affected, sources }: Substitution,
): { readonly tree: JsonTree; readonly isKnown: boolean } {
  const edits: { readonly region: Region; readonly text: string }[] = [];
  for (const { text, now = UNKNOWN_TEXT } of affected) {
    for (const region of sources.get(text) ?? [])
      edits.push({ region, text: FORMS[region.form]?.(now) ?? now });
  }
  const after = texts.map(({ text }) => text);
  for (const { region, text } of edits.sort((a, b) => b.region.from - a.region.from)) {
    const whole = after[region.at] ?? "";
    after[region.at] = whole.slice(0, region.from) + text + whole.slice(region.to);
  }
  let at = 0;
  const tree = withTexts(body, ({ text }) => after[at++] ?? text);
  return { tree, isKnown: affected.every(({ now }) => now !== undefined) };
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
  { sha256, normalise }: Pick<EditSources, "sha256" | "normalise">,
): Key | undefined {
  const { method, path } = request;
  if (namesTwice(tree)) return undefined;
  return computeKey({ provider, operation, method, path, body: { kind: "json", tree } }, sha256, normalise);
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

function optionText({ before, now }: AffectedOption): string {
  const value = canonicalJson(before.value);
  return `${before.name}: ${value}${now === undefined ? "" : ` → ${canonicalJson(now.value)}`}`;
}

const EXCERPT = 40;

function excerpt(text: string): string {
  const characters = Array.from(text.replaceAll(/\s+/gu, " ").trim());
  return `"${characters.length <= EXCERPT ? characters.join("") : `${characters.slice(0, EXCERPT - 1).join("")}…`}"`;
}
