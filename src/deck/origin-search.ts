import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { hostname, tmpdir, userInfo } from "node:os";
import { dirname, isAbsolute, join, resolve, sep } from "node:path";
import type { Run, TestRef } from "../core/call/call.ts";
import { escapePattern } from "../core/call/test-names.ts";
import type { PlaceValue, ValueKind } from "../core/call/value-pool.ts";
import type { EngineParts } from "../core/answer/engine.ts";
import type { OriginMatching } from "../core/config/config.ts";
import { TIME_HINT } from "../core/match/origins/hints.ts";
import { findHome } from "../hooks/user-folder.ts";
import { findRepository } from "../storage/inside.ts";
import { clock } from "./clock.ts";

const HOUR = 3_600_000;
/** Longest time between reading the clock and asking about it, in a run that lasts longer. */
const LONGEST = 3 * HOUR;
/** Returns the parts of an engine that look for values that this machine, or the processes of a run, made up. */
export function matchByOrigin(
  projectDir: string,
  setting: () => OriginMatching,
): Pick<EngineParts, "origins" | "ownsReplies"> {
  // Calls need these, and many runs of a program make none.
  let places: readonly PlaceValue[] | undefined;
  let hint: RegExp | undefined;
  let withZone: readonly PlaceValue[] | undefined;
  const readPlaces = (): readonly PlaceValue[] => (places ??= machinePlaces(projectDir));
  const isTypedIn = createTypedTexts(projectDir);
  return {
    ownsReplies: () => setting() === "all",
    origins: {
      get hint() {
        return (hint ??= createHint(readPlaces()));
      },
      prepare({ run, test }) {
        if (setting() === "off") return undefined;
        const now = clock.now();
        let zones: ReadonlySet<number> | undefined;
        return {
          places: [...(withZone ??= [...readPlaces(), zonePlace()]), ...listCommits(run)],
          pool: run.values,
          now,
          since: Math.max(run.startedAt ?? 0, now - LONGEST),
          // Reading the reported zones evaluates all reports of the run.
          get zones() {
            return (zones ??= listZones(now, run));
          },
          isTyped: test === undefined ? undefined : (text) => isTypedIn(test, text),
        };
      },
    },
  };
}

/** Matches texts that may have such a value. */
const createHint = (places: readonly PlaceValue[]): RegExp =>
  new RegExp([TIME_HINT, ZONE_HINT, ...places.map(({ text }) => escapePattern(text))].join("|"));

/** Matches the name of each time zone. */
const ZONE_HINT = "[A-Z][a-z]+/[A-Z]|UTC|GMT";

/** The machine's time zone. Reading it takes 15 ms, so only calls that are searched do. */
const zonePlace = (): PlaceValue => createPlace("zone", Intl.DateTimeFormat().resolvedOptions().timeZone);

/** A commit in the log of a repository's head, with the second in which it was made. */
const COMMIT = /^[0-9a-f]+ ([0-9a-f]{40,64}) .* (\d+) [+-]\d{4}\tcommit\b/gm;
/** Characters of the short name of a commit in a small repository. */
const SHORT_NAME = 7;

/** Lists the names of commits that a run made in its temporary folders: they depend on the time. Coding agents send them. */
function listCommits({ values, startedAt = 0 }: Run): readonly PlaceValue[] {
  const folders = (values?.places ?? []).filter(
    ({ kind, text }) => kind === "temp folder" && isAbsolute(text),
  );
  const logs = folders.map(({ text }) => join(text, ".git/logs/HEAD")).filter((log) => existsSync(log));
  const names = logs.flatMap((log) =>
    [...readFileSync(log, "utf8").matchAll(COMMIT)].flatMap(([, name = "", seconds]) =>
      (Number(seconds) + 1) * 1_000 < startedAt ? [] : [name, name.slice(0, SHORT_NAME)],
    ),
  );
  return [...new Set(names)].map((text, order) => ({ kind: "random", text, name: "commit", order }));
}

const listZones = (now: number, { values }: Run): ReadonlySet<number> =>
  new Set([0, -new Date(now).getTimezoneOffset(), ...(values?.zones ?? [])]);

/** Largest test file that is searched, in bytes. */
const LARGEST_FILE = 2_097_152;
const REMEMBERED_FILES = 64;

/** Returns whether a test's file has a text in one of its lines, comments aside. Reads a file again after it changed. */
function createTypedTexts(projectDir: string): (test: TestRef, text: string) => boolean {
  const files = new Map<string, { readonly changed: number; readonly text: string }>();
  const read = (file: string): string => {
    const { mtimeMs: changed, size } = statSync(file);
    const known = files.get(file);
    if (known?.changed === changed) return known.text;
    const text = size > LARGEST_FILE ? "" : withoutComments(readFileSync(file, "utf8"));
    if (files.size >= REMEMBERED_FILES) files.clear();
    files.set(file, { changed, text });
    return text;
  };
  return ({ file }, text) => {
    const found = [projectDir, process.cwd()]
      .map((root) => resolve(root, file))
      .find((path) => existsSync(path));
    try {
      return found !== undefined && hasWord(read(found), text);
    } catch {
      return false; // a file that cannot be read
    }
  };
}

/** Whether a source has a text that is no part of a longer word. */
function hasWord(source: string, text: string): boolean {
  const isJoined = (at: number): boolean => WORD.test(source.slice(at - 1, at + 1));
  for (let at = source.indexOf(text); at >= 0; at = source.indexOf(text, at + 1))
    if (!isJoined(at) && !isJoined(at + text.length)) return true;
  return false;
}

const WORD = /^[A-Za-z0-9]{2}$/;

const withoutComments = (source: string): string => source.replace(/^[^\S\n]*(?:\/\/|#|\*|\/\*).*$/gm, "");

/** User names that are ordinary words, so that a prompt may contain them for another reason. */
const COMMON_USERS =
  /^(?:root|admin|user|users|test|git|app|node|runner|ubuntu|debian|docker|vscode|build|guest|home|me)$/i;

/** Returns the folders and names of this machine that a request may contain, the longest first. */
function machinePlaces(projectDir: string): readonly PlaceValue[] {
  const { username = "" } = attemptUserInfo();
  const host = hostname();
  const home = findHome();
  const repository = findRepository(projectDir);
  const places = [
    ...spellings(repository === projectDir ? undefined : repository, "repository", home),
    ...spellings(projectDir, "project", home),
    ...spellings(home, "home"),
    ...spellings(tmpdir(), "temp"),
  ];
  if (username.length >= 3 && !COMMON_USERS.test(username)) places.push(createPlace("user", username));
  if (/[\d-]/.test(host) && host.length > 3) places.push(createPlace("host", host));
  return places.toSorted((a, b) => b.text.length - a.text.length);
}

const createPlace = (kind: ValueKind, text: string): PlaceValue => ({ kind, text, order: 0 });

function attemptUserInfo(): { readonly username?: string } {
  try {
    return userInfo();
  } catch {
    return {}; // a user without an entry in the system's list, as in some containers
  }
}

/**
 * Returns the spellings of a folder: its path with and without links, from the home folder, with slashes or escaped for JSON
 * on Windows, and as coding agents name the folders of a project. None for the root of a file system.
 */
function spellings(folder: string | undefined, kind: ValueKind, home?: string): PlaceValue[] {
  if (folder === undefined || dirname(folder) === folder) return [];
  const real = existsSync(folder) ? realpathSync(folder) : folder;
  const fromHome =
    home !== undefined && folder.startsWith(home + sep) ? [`~${folder.slice(home.length)}`] : [];
  const inAgents = kind === "project" || kind === "repository" ? [folder.replace(/[^A-Za-z0-9]/g, "-")] : [];
  const texts = [folder, real, ...fromHome].flatMap((text) =>
    sep === "/" ? [text] : [text, text.replaceAll(sep, "/"), text.replaceAll(sep, "\\\\")],
  );
  return [...new Set([...texts, ...inAgents])].map((text) => createPlace(kind, text));
}
