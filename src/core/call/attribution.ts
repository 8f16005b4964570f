import type { GroupPlace, TestRef } from "./call.ts";
import { pickDefined } from "../base/pick-defined.ts";
import { isFields, isTexts, readFields, type Fields } from "../base/lenient.ts";

/**
 * The request header by which the hooks in a test process say which test makes the call, as percent-encoded JSON, and
 * where it is among identical calls made at once, as `;GROUP;POSITION`. It is never passed on.
 */
export const ATTRIBUTION_HEADER = "x-tapedeck-test";

/** Longest header value that is read; the hooks leave the header out rather than send more. */
const MAX_LENGTH = 3072;
const MAX_TITLE = 1000;
const MAX_TITLES = 24;
const MAX_ID = 600;

/**
 * Reads the header value that a hook made: percent-encoded JSON. It is untrusted text from any local client, so
 * undefined is returned, and nothing thrown, for whatever is not exactly that: undecodable, too long, sent twice,
 * of wrong types, or about a file in none of `roots`.
 *
 * `roots` are absolute folders, POSIX or Windows; the innermost that holds the file is what `file` becomes relative
 * to. Give a folder's real path too where it is reached through a link. No file is looked at.
 */
export function readAttribution(
  headerValue: string | undefined,
  roots: readonly string[],
): TestRef | undefined {
  const sent = decodeRecord(headerValue);
  if (sent === undefined || sent["v"] !== 1) return undefined;
  const file = typeof sent["file"] === "string" ? findPathInRoots(roots, sent["file"]) : undefined;
  const optional = optionalParts(sent);
  const name = titles(sent);
  if (file === undefined || optional === undefined || name === undefined) return undefined;
  const at = place(sent["at"], roots);
  return { file, name, ...optional, ...pickDefined({ at }) };
}

/**
 * Returns the test of a call in a run that was started for the test `own`: the test that the runner's hook reports,
 * otherwise `own`. If only a source position is reported, its line is added if it is in the same file.
 */
export function findTestOfCall(
  headerValue: string | undefined,
  roots: readonly string[],
  own: TestRef | undefined,
): TestRef | undefined {
  const reported = readAttribution(headerValue, roots);
  if (reported === undefined || own === undefined || reported.name.length > 0) return reported ?? own;
  if (reported.file !== own.file) return own;
  const { line, at, execution } = reported;
  return { ...own, ...pickDefined({ line, at, execution }) };
}

/** Whether the hook reports that the test's own cache keeps the answer, so that Tapedeck does not record it. */
export const isKeptElsewhere = (headerValue: string | undefined): boolean =>
  headerValue?.includes("%22kept%22%3Atrue") === true;

/** Reads the position of a call among identical concurrent calls of its process; undefined if the hooks sent none. */
export function readGroupPlace(headerValue: string | undefined): GroupPlace | undefined {
  const [, id = "", position] = /;([\w.]{1,60});([1-9]\d{0,4})$/.exec(headerValue ?? "") ?? [];
  return position === undefined ? undefined : { id, position: Number(position) };
}

function decodeRecord(value: string | undefined): Fields | undefined {
  const [text = ""] = (value ?? "").split(";", 1);
  if (text === "" || text.length > MAX_LENGTH) return undefined;
  try {
    const parsed: unknown = JSON.parse(decodeURIComponent(text));
    return isFields(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The titles, outermost first; undefined where they are not texts. */
function titles(sent: Fields): readonly string[] | undefined {
  const { name, joined } = sent;
  if (name === undefined) return typeof joined === "string" ? [cut(joined, MAX_TITLE)] : [];
  if (!isTexts(name) || name.length > MAX_TITLES) return undefined;
  return name.map((title) => cut(title, MAX_TITLE));
}

/** What may be absent but must not be of another type. */
function optionalParts(sent: Fields): Omit<TestRef, "file" | "name" | "at"> | undefined {
  const { line, runner, x, joined, id, trial } = sent;
  if (![line, trial].every((value) => value === undefined || isLine(value))) return undefined;
  if (![runner, x, joined, id].every((value) => value === undefined || typeof value === "string"))
    return undefined;
  return {
    ...(isLine(line) && { line }),
    ...(typeof runner === "string" && { runner: cut(runner, 40) }),
    ...(typeof x === "string" && { execution: cut(x, 100) }),
    ...(isLine(trial) && trial > 1 && { trial }),
    ...(typeof joined === "string" && sent["name"] === undefined && { joined: cut(joined, MAX_LENGTH) }),
    ...(typeof id === "string" && { id: cut(id, MAX_ID) }),
  };
}

/** A helper may well live outside of the workspace: its place is then left out, the rest holds. */
function place(sent: unknown, roots: readonly string[]): { file: string; line: number } | undefined {
  if (!isFields(sent) || typeof sent["file"] !== "string" || !isLine(sent["line"])) return undefined;
  const file = findPathInRoots(roots, sent["file"]);
  return file === undefined ? undefined : { file, line: sent["line"] };
}

/**
 * Reads a reference to a test from an untrusted value; undefined if a required member is missing. An empty name refers
 * to the file.
 */
export function readTestRef(value: unknown): TestRef | undefined {
  const { file, name, line, joined, id, at } = readFields(value);
  if (typeof file !== "string" || file === "" || !isTexts(name)) return undefined;
  const { file: helper, line: helperLine } = readFields(at);
  return {
    file,
    name,
    ...(isLine(line) && { line }),
    ...(typeof joined === "string" && { joined }),
    ...(typeof id === "string" && { id }),
    ...(typeof helper === "string" && isLine(helperLine) && { at: { file: helper, line: helperLine } }),
  };
}

/** Whether a value is a 1-based line. */
export function isLine(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 && value < 10_000_000;
}

/** Cuts at `length` UTF-16 units, never inside a character. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
}

/** Returns a file's path relative to the innermost of `roots` that holds it; undefined for a file in none of them. */
export function findPathInRoots(roots: readonly string[], file: string): string | undefined {
  const path = absoluteParts(file);
  if (path === undefined) return undefined;
  const inside = roots
    .map(absoluteParts)
    .filter((root) => root !== undefined && isAbove(root, path))
    .reduce<number | undefined>(
      (deepest, root) => Math.max(deepest ?? 0, root?.parts.length ?? 0),
      undefined,
    );
  return inside === undefined ? undefined : path.parts.slice(inside).join("/");
}

interface AbsolutePath {
  /** "" on POSIX, a lower-case drive or `//server/share` on Windows. */
  readonly device: string;
  readonly parts: readonly string[];
}

/** The pieces of an absolute path without "." and ".."; undefined for a relative one or one that climbs out. */
function absoluteParts(path: string): AbsolutePath | undefined {
  // eslint-disable-next-line no-control-regex -- no path of a workspace holds one, and logs must not
  if (/[\u0000-\u001f]/.test(path)) return undefined;
  const windows =
    /^(?:\\\\\?\\)?([A-Za-z]:)[\\/](.*)$/s.exec(path) ?? /^(\\\\[^\\/]+\\[^\\/]+)\\(.*)$/s.exec(path);
  const device = windows?.[1]?.toLowerCase() ?? "";
  const rest = windows
    ? (windows[2] ?? "").replaceAll("\\", "/")
    : path.startsWith("/")
      ? path.slice(1)
      : undefined;
  if (rest === undefined) return undefined;
  const parts: string[] = [];
  for (const part of rest.split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== "" && part !== ".") parts.push(part);
  }
  return { device, parts };
}

/** Windows does not tell case apart; elsewhere a difference in case is another folder. */
function isAbove(root: AbsolutePath, path: AbsolutePath): boolean {
  if (root.device !== path.device || root.parts.length >= path.parts.length) return false;
  const same = root.device === "" ? (a: string) => a : (a: string) => a.toLowerCase();
  return root.parts.every((part, index) => same(part) === same(path.parts[index] ?? ""));
}
