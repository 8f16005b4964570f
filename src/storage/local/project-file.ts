import { localize } from "../../core/base/localize.ts";
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
  type OriginMatching,
} from "../../core/config/config.ts";
import { createBrokenConfigError, readConfig } from "../../core/config/read-config.ts";
import type { EngineParts } from "../../core/answer/engine.ts";
import { explain, isTapedeckError, type TapedeckError } from "../../core/base/errors.ts";
import type { Mode } from "../../core/call/call.ts";
import type { PlannedFault, ScriptedReply } from "../../core/call/mocks.ts";
import type { Normalizer } from "../../core/match/key/key.ts";
import { loadPatterns, type CompilePattern } from "../../core/match/rules/patterns.ts";
import { compileRules } from "../../core/match/rules/rules.ts";
import { createOwnScanner } from "./own-scanner.ts";
import type { Scan } from "../../core/secrets/scanner.ts";
import { getErrorCode } from "../folder/failures.ts";
import { isOutside } from "../inside.ts";
import { computeSha256, READ_LIMITS, readBytesNow } from "../folder/read-file.ts";

/** The content of `tapedeck.jsonc`. The same object until the file changes. */
export interface Project {
  readonly config: ProjectConfig;
  /** Identifies the rules by which recordings are named; empty if no rule changes a key. */
  readonly rules: string;
  readonly normalizer: Normalizer | undefined;
  readonly allowsSecret: (value: string) => boolean;
  /** Finds secrets. Present only if the project redacts secrets, because then every call is searched. */
  readonly scan?: Scan;
  /** Why the file is ignored, with the position. */
  readonly problem?: TapedeckError;
}

const NO_PROJECT: Project = {
  config: NO_CONFIG,
  rules: "",
  normalizer: undefined,
  allowsSecret: () => false,
};

/** Settings of a program that override those of the project's file. */
export interface ProjectOverrides {
  /** The reply of lenient mode to calls that are not recorded. */
  readonly defaultReply?: string;
  /** The replies of lenient mode, call by call. Calls after the last one fail. */
  readonly script?: readonly ScriptedReply[];
  /** Faults to inject in strict and lenient mode. Default: the value in `tapedeck.jsonc`, else none. */
  readonly faults?: readonly PlannedFault[];
  /**
   * "same" answers every identical call with the first take, "trials" each trial with its own. Default: the value in
   * `tapedeck.jsonc`, else "takes".
   */
  readonly repeats?: Repeats;
  /**
   * Whether answers with a status of 400 and above are recorded. Default: the value in `tapedeck.jsonc`, else false.
   */
  readonly recordErrors?: boolean;
  /** Whether `tapedeck.jsonc` beside the folder is read; a function is called before every look. Default true. */
  readonly project?: boolean | (() => boolean);
}

/** The file of a project, with the settings that are in effect. */
export interface ProjectFile {
  readonly path: string;
  /** The file as it was read last. */
  readonly current: Project;
  readonly repeats: Repeats;
  /** How values that the machine of a test made up are matched. */
  readonly origins: OriginMatching;
  /** The answer of lenient mode to calls that are not recorded. */
  readonly lenient: LenientAnswer;
  /** Faults to inject; the same list until it changes. */
  readonly faults: readonly PlannedFault[];
  /** Which answers are recorded, and how. */
  readonly record: RecordRules;
  /** The functions that an engine calls with every call. */
  readonly forEngine: Required<
    Pick<EngineParts, "prepare" | "normalizer" | "repeats" | "record" | "goesWrong">
  >;
  /** Reads the file if it changed; looks at most every 100 ms. Undefined if there is nothing to wait for. */
  refresh(): Promise<void> | undefined;
  reload(): Promise<void>;
  /** Runs `prepare` before the first call after each change of the file, separately for calls that may be recorded. */
  prepareWith(prepare: EngineParts["prepare"]): void;
}

export interface ProjectFileOptions {
  /** Called when the file changed, and when it was read for the first time. */
  readonly onChange: (project: Project) => void;
}

const LOOK_INTERVAL_MS = 100;

const NO_FAULTS: readonly PlannedFault[] = [];

const BY_DEFAULT: LenientAnswer = {
  reply: "This is Tapedeck's default reply: nothing is recorded for this call.",
};

/** Returns the file beside a cassette folder. It is read on first use, and again whenever it changes. */
export function createProjectFile(
  dir: string,
  { onChange }: ProjectFileOptions,
  overrides: ProjectOverrides = {},
): ProjectFile {
  const path = join(dirname(dir), CONFIG_NAME);
  const { project: wanted = true } = overrides;
  const isWanted = typeof wanted === "function" ? wanted : () => wanted;
  const lenient = lenientAnswer(overrides);
  let current = NO_PROJECT;
  const preparation = createPreparation(() => current);
  const refreshing = createRefresher(path, (project) => {
    current = project;
    onChange(project);
  });
  const file: ProjectFile = {
    path,
    get current() {
      return current;
    },
    get repeats() {
      return overrides.repeats ?? current.config.repeats ?? "takes";
    },
    get origins() {
      return current.config.origins ?? "all";
    },
    get record() {
      const { record = {} } = current.config;
      return overrides.recordErrors === undefined ? record : { ...record, errors: overrides.recordErrors };
    },
    get lenient() {
      return lenient ?? current.config.lenient ?? BY_DEFAULT;
    },
    get faults() {
      return overrides.faults ?? current.config.faults ?? NO_FAULTS;
    },
    refresh: () => (isWanted() ? refreshing.refresh() : undefined),
    reload: async () => (isWanted() ? refreshing.reload() : undefined),
    prepareWith: preparation.set,
    forEngine: {
      prepare: (mode) => preparation.run(mode, file.refresh()),
      normalizer: () => current.normalizer,
      repeats: () => file.repeats,
      record: () => file.record,
      goesWrong: ({ isAsking }) => file.faults.length > 0 || isAsking === true,
    },
  };
  return file;
}

/** Runs an action once for each state of a project, separately for modes that record. */
function createPreparation(current: () => Project) {
  let prepare: EngineParts["prepare"];
  const prepared: { recording?: Project; replaying?: Project } = {};
  return {
    set: (preparing: EngineParts["prepare"]) => void (prepare = preparing),
    run(mode: Mode, refreshed: Promise<void> | undefined): Promise<unknown> | undefined {
      if (refreshed !== undefined) return refreshed.then(() => this.run(mode, undefined));
      const kind = mode === "record" || mode === "refresh" ? "recording" : "replaying";
      const project = current();
      if (prepared[kind] === project) return undefined;
      const preparing = prepare?.(mode);
      if (preparing === undefined) prepared[kind] = project;
      return preparing?.then(() => (prepared[kind] = project));
    },
  };
}

/** Reads a project's file, at most once at a time. */
function createRefresher(
  path: string,
  onChange: (project: Project) => void,
): Pick<ProjectFile, "refresh" | "reload"> {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  let states: readonly FileState[] = [];
  let problem: string | undefined;
  /** Whether the file, and those that it names, are as they were read last. */
  const isCurrent = (): boolean =>
    states.length > 0 ? states.every((one) => isAsSeen(path, one)) : isAbsent(path);
  const read = async (): Promise<void> => {
    const { project, states: now } = await readProject(path);
    const isSame = sameTexts(states, now) && problem === project.problem?.message;
    states = now;
    problem = project.problem?.message;
    if (!isSame) onChange(project);
  };
  const reload = (): Promise<void> => {
    const next = (reading ?? Promise.resolve()).then(read).finally(() => {
      if (reading === next) reading = undefined;
    });
    reading = next;
    return next;
  };
  return {
    refresh() {
      if (reading !== undefined) return reading;
      const now = performance.now();
      if (now - lookedAt <= LOOK_INTERVAL_MS) return undefined;
      lookedAt = now;
      return isCurrent() ? undefined : reload();
    },
    reload,
  };
}

function lenientAnswer({ script, defaultReply }: ProjectOverrides): LenientAnswer | undefined {
  if (script !== undefined) return { script };
  return defaultReply === undefined ? undefined : { reply: defaultReply };
}

/** A file as it was read. `text` is undefined if it could not be read. */
interface FileState {
  readonly path: string;
  readonly text: string | undefined;
}

/** Whether files are unchanged. Before the first look, the file counts as absent. */
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

/** Reads a project's file, and the files that it names. Never rejects; `problem` describes an invalid file. */
async function readProject(
  path: string,
): Promise<{ readonly project: Project; readonly states: readonly FileState[] }> {
  const states: FileState[] = [];
  const readText = (file: string): string => {
    const place = states.push({ path: file, text: undefined }) - 1;
    const text = readInside(path, file);
    states[place] = { path: file, text };
    return text;
  };
  try {
    const text = readText(path);
    const patterns = await patternsFor(text);
    const config = readConfig(text, {
      checkPattern: patterns,
      readText: (inside) => readText(join(dirname(path), inside)),
    });
    const { normalizer, allowsSecret } = compileProject(config, patterns);
    const scan = config.secrets === "redact" ? await createOwnScanner(allowsSecret) : undefined;
    const rules = rulesFingerprint(config);
    return { project: { config, rules, normalizer, allowsSecret, ...(scan && { scan }) }, states };
  } catch (error) {
    if (getErrorCode(error) === "ENOENT" && isAbsent(path)) return { project: NO_PROJECT, states: [] };
    const problem = isTapedeckError(error)
      ? error
      : createBrokenConfigError(localize("it cannot be read ({0})", explain(error)), 1, 1);
    return { project: { ...NO_PROJECT, problem }, states };
  }
}

/** Compiles a project's rules and its exceptions for secrets. @throws TapedeckError for an invalid pattern. */
export function compileProject(
  { normalize, allowSecrets = [] }: Pick<ProjectConfig, "normalize" | "allowSecrets">,
  patterns: CompilePattern,
): Pick<Project, "normalizer" | "allowsSecret"> {
  return {
    normalizer: compileRules(normalize, patterns),
    allowsSecret: compileAllowed(allowSecrets, patterns),
  };
}

/**
 * Reads a file of the project. Follows a link within the repository, which lets packages share a file.
 * @throws the reader's error, and an Error for a link that leads out of the repository.
 */
function readInside(config: string, file: string): string {
  if (isOutside(file, dirname(config)))
    throw new Error(localize("it is a link out of the project, which is not followed"));
  return readBytesNow(realpathSync(file), { most: READ_LIMITS.config }).toString("utf8");
}

const isAbsent = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) === undefined;

function compileAllowed(allowed: readonly string[], compile: CompilePattern): Project["allowsSecret"] {
  const hashes = new Set(allowed.flatMap((one) => ALLOWED_HASH.exec(one)?.[1] ?? []));
  const patterns = allowed.filter((one) => !ALLOWED_HASH.test(one)).map((one) => compile(one));
  return (value) =>
    (hashes.size > 0 && hashes.has(computeSha256(value))) ||
    patterns.some((pattern) => pattern.replaceIn(value, "") !== value);
}

/** Loads the pattern engine only if the file has patterns. */
async function patternsFor(text: string): Promise<CompilePattern> {
  if (text.includes("replace") || text.includes("allowSecrets")) return loadPatterns();
  return () => {
    throw new Error("no rule replaces anything");
  };
}

function rulesFingerprint({ normalize }: ProjectConfig): string {
  return normalize.length === 0 ? "" : `sha256:${computeSha256(JSON.stringify(normalize))}`;
}
