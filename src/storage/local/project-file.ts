import { lstatSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  ALLOWED_HASH,
  CONFIG_NAME,
  NO_CONFIG,
  type LenientAnswer,
  type ProjectConfig,
  type RecordRules,
  type Repeats,
} from "../../core/config/config.ts";
import type { ContextLimits, PlannedFault, ScriptedReply } from "../../core/call/mocks.ts";
import { broken, readConfig } from "../../core/config/read-config.ts";
import type { EngineParts } from "../../core/answer/engine.ts";
import { explain, isTapedeckError, type TapedeckError } from "../../core/base/errors.ts";
import type { Normaliser } from "../../core/match/key/key.ts";
import { loadPatterns, type CompilePattern } from "../../core/match/rules/patterns.ts";
import { compileRules } from "../../core/match/rules/rules.ts";
import { ownScanner } from "./own-scanner.ts";
import type { Scan } from "../../core/secrets/scanner.ts";
import { codeOf } from "../folder/failures.ts";
import { leadsOut } from "../inside.ts";
import { READ_LIMITS, readBytesNow } from "../folder/read-file.ts";
import { sha256 } from "../folder/sha256.ts";

/** `tapedeck.jsonc` as it counts now. The same object for as long as the file is the same. */
export interface Project {
  readonly config: ProjectConfig;
  readonly normaliser: Normaliser | undefined;
  /** Whether what looks like a secret is named as none. */
  readonly allowsSecret: (value: string) => boolean;
  /** Finds secrets; loaded with the file where it says that they are redacted, since then every call is searched. */
  readonly scan?: Scan;
  /** Why the file counts as not there, with the position. */
  readonly problem?: TapedeckError;
}

/** What whoever opens a project says counts more than what its file says. */
export interface SaidOfProject {
  /** What lenient mode answers where nothing is recorded. */
  readonly defaultReply?: string;
  /** What lenient mode answers instead, call by call; it runs dry with an error. */
  readonly script?: readonly ScriptedReply[];
  /** Faults to inject in strict and lenient mode. Default: the value in `tapedeck.jsonc`, else none. */
  readonly faults?: readonly PlannedFault[];
  /**
   * How much of a model's context calls may take in strict and lenient mode. Default: the value in `tapedeck.jsonc`,
   * else no limit.
   */
  readonly context?: ContextLimits;
  /**
   * "same" answers every identical call with the first take, "trials" each trial with its own. Default: the value in
   * `tapedeck.jsonc`, else "takes".
   */
  readonly repeats?: Repeats;
  /**
   * Whether answers with a status of 400 and above are recorded. Default: the value in `tapedeck.jsonc`, else false.
   */
  readonly recordErrors?: boolean;
  /** False leaves `tapedeck.jsonc` beside the folder alone; a function is asked before every look. Default true. */
  readonly project?: boolean | (() => boolean);
}

export interface ProjectFile {
  readonly path: string;
  /** As of the last look. */
  readonly current: Project;
  /** Whether repeats get their own takes. */
  readonly repeats: Repeats;
  /** What lenient mode answers where nothing is recorded. */
  readonly lenient: LenientAnswer;
  /** What goes wrong on purpose; the same list for as long as it is the same. */
  readonly faults: readonly PlannedFault[];
  /** How much of a model's context calls may take; the same object for as long as it is the same. */
  readonly context: ContextLimits | undefined;
  /** What of answers is recorded. */
  readonly record: RecordRules;
  /** What an engine asks with every call. */
  readonly asked: Required<Pick<EngineParts, "prepare" | "normaliser" | "repeats" | "record" | "goesWrong">>;
  /** Looks at the file, where the last look was a while ago; undefined where there is nothing to wait for. */
  refresh(): Promise<void> | undefined;
  /** Looks at the file now. */
  reload(): Promise<void>;
}

export interface ProjectFileOptions {
  /** Told when the file changed what counts, and at its first reading where there is one. */
  readonly onChange: (project: Project) => void;
}

/** So long a look counts. */
const LATELY_MS = 100;

const NONE: Project = { config: NO_CONFIG, normaliser: undefined, allowsSecret: () => false };

const NO_FAULTS: readonly PlannedFault[] = [];

const BY_DEFAULT: LenientAnswer = {
  reply: "This is Tapedeck's default reply: nothing is recorded for this call.",
};

/** The file beside a cassette folder. Read when it is first asked for, and again whenever it changes. */
export function projectFileOf(
  dir: string,
  { onChange }: ProjectFileOptions,
  said: SaidOfProject = {},
): ProjectFile {
  const path = join(dirname(dir), CONFIG_NAME);
  const { project: wanted = true } = said;
  const isWanted = typeof wanted === "function" ? wanted : () => wanted;
  const lenient = lenientAnswer(said);
  let current = NONE;
  const looking = lookingAt(path, (found) => {
    current = found;
    onChange(current);
  });
  const project: ProjectFile = {
    path,
    get current() {
      return current;
    },
    get repeats() {
      return said.repeats ?? current.config.repeats ?? "takes";
    },
    get record() {
      const { record = {} } = current.config;
      return said.recordErrors === undefined ? record : { ...record, errors: said.recordErrors };
    },
    get lenient() {
      return lenient ?? current.config.lenient ?? BY_DEFAULT;
    },
    get faults() {
      return said.faults ?? current.config.faults ?? NO_FAULTS;
    },
    get context() {
      return said.context ?? current.config.context;
    },
    refresh: () => (isWanted() ? looking.refresh() : undefined),
    reload: async () => (isWanted() ? looking.reload() : undefined),
    asked: {
      prepare: () => project.refresh(),
      normaliser: () => current.normaliser,
      repeats: () => project.repeats,
      record: () => project.record,
      goesWrong: ({ faults = project.faults, isAsking }) =>
        faults.length > 0 || isAsking === true || project.context !== undefined,
    },
  };
  return project;
}

/** Looks at the file and at those that it names; `changed` is told of what counts from now on. */
function lookingAt(
  path: string,
  changed: (project: Project) => void,
): Pick<ProjectFile, "refresh" | "reload"> {
  let problem: string | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let seen: readonly FileState[] = [];
  let reading: Promise<void> | undefined;

  const look = async (): Promise<void> => {
    const found = await readProject(path);
    const isSame = sameTexts(seen, found.seen) && problem === found.project.problem?.message;
    seen = found.seen;
    if (isSame) return;
    problem = found.project.problem?.message;
    changed(found.project);
  };
  const reload = (): Promise<void> => {
    // One after the other: the last look counts.
    const next = (reading ?? Promise.resolve()).then(look).finally(() => {
      if (reading === next) reading = undefined;
    });
    reading = next;
    return next;
  };
  return {
    refresh() {
      if (reading !== undefined) return reading;
      const now = performance.now();
      if (now - lookedAt <= LATELY_MS) return undefined;
      lookedAt = now;
      const isKnown = seen.length > 0 ? seen.every((one) => isAsSeen(path, one)) : isAbsent(path);
      return isKnown ? undefined : reload();
    },
    reload,
  };
}

function lenientAnswer({ script, defaultReply }: SaidOfProject): LenientAnswer | undefined {
  if (script !== undefined) return { script };
  return defaultReply === undefined ? undefined : { reply: defaultReply };
}

/** A file as it was when it was read; without a text it could not be read. */
interface FileState {
  readonly path: string;
  readonly text: string | undefined;
}

/** That nothing is there is what is thought before the first look. */
function sameTexts(before: readonly FileState[], now: readonly FileState[]): boolean {
  if (before.length === 0) return now.every(({ text }) => text === undefined);
  return (
    before.length === now.length &&
    now.every(({ path, text }, index) => before[index]?.path === path && before[index].text === text)
  );
}

function isAsSeen(config: string, { path, text }: FileState): boolean {
  try {
    return readInside(config, path) === text;
  } catch {
    return text === undefined;
  }
}

async function readProject(
  path: string,
): Promise<{ readonly project: Project; readonly seen: readonly FileState[] }> {
  const seen: FileState[] = [];
  const readText = (file: string): string => {
    const place = seen.push({ path: file, text: undefined }) - 1;
    const text = readInside(path, file);
    seen[place] = { path: file, text };
    return text;
  };
  try {
    const text = readText(path);
    const patterns = await patternsFor(text);
    const config = readConfig(text, {
      checkPattern: patterns,
      readText: (inside) => readText(join(dirname(path), inside)),
    });
    const { normaliser, allowsSecret } = compileProject(config, patterns);
    const scan = config.secrets === "redact" ? await ownScanner(allowsSecret) : undefined;
    return { project: { config, normaliser, allowsSecret, ...(scan && { scan }) }, seen };
  } catch (error) {
    if (codeOf(error) === "ENOENT" && isAbsent(path)) return { project: NONE, seen };
    const problem = isTapedeckError(error) ? error : broken(`it cannot be read (${explain(error)})`, 1, 1);
    return { project: { ...NONE, problem }, seen };
  }
}

/** What a project's rules and exceptions do. @throws TapedeckError for a pattern that is none. */
export function compileProject(
  { normalise, allowSecrets = [] }: Pick<ProjectConfig, "normalise" | "allowSecrets">,
  patterns: CompilePattern,
): Pick<Project, "normaliser" | "allowsSecret"> {
  return {
    normaliser: compileRules(normalise, patterns),
    allowsSecret: compileAllowed(allowSecrets, patterns),
  };
}

/**
 * The text of a file of the project. A link to a file of the same repository is as good as the file, e.g. one file for
 * all packages; one that leads out of it is somebody else's. It is small, and read at once.
 * @throws the reader's error, and an Error for a link that leads out.
 */
function readInside(config: string, file: string): string {
  if (leadsOut(file, dirname(config)))
    throw new Error("it is a link that leads out of the project, and none of these is followed");
  return readBytesNow(realpathSync(file), { most: READ_LIMITS.config }).toString("utf8");
}

const isAbsent = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) === undefined;

function compileAllowed(allowed: readonly string[], compile: CompilePattern): Project["allowsSecret"] {
  const hashes = new Set(allowed.flatMap((one) => ALLOWED_HASH.exec(one)?.[1] ?? []));
  const patterns = allowed.filter((one) => !ALLOWED_HASH.test(one)).map((one) => compile(one));
  return (value) =>
    (hashes.size > 0 && hashes.has(sha256(value))) ||
    patterns.some((pattern) => pattern.replaceIn(value, "") !== value);
}

/** Without a rule that replaces, or a secret that is none, no pattern is needed. */
async function patternsFor(text: string): Promise<CompilePattern> {
  if (text.includes("replace") || text.includes("allowSecrets")) return loadPatterns();
  return () => {
    throw new Error("no rule replaces anything");
  };
}
