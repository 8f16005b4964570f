import type { GuardedHosts } from "../core/protocol/origin.ts";
import { splitList } from "./list-variable.ts";

/** The settings with which the hooks of a test process report which test makes a call. */
export interface HookOptions {
  /** The folder that holds `javascript/` and `python/`, absolute. */
  readonly hooksDir: string;
  /** Address of the replay server with its token, `http://127.0.0.1:PORT/TOKEN`. */
  readonly url: string;
  /** The workspace's folders: stack frames in them count as the user's. */
  readonly roots: readonly string[];
  /** Between paths in a variable: node's `path.delimiter`. */
  readonly delimiter: string;
  /** Hosts whose connections are redirected to the replay server. None if absent, or if the user turned this off. */
  readonly guard?: GuardedHosts | undefined;
  /** Whether processes report connections that leave the machine and ask no model. */
  readonly countsConnections?: boolean;
  /** The only hosts that processes may reach on their own; any where absent. */
  readonly allowedHosts?: readonly string[];
  /**
   * Whether each process with our hooks reports that it started, to the server. With a path, Node processes append their
   * pid and command line to that file, which costs less than a connection.
   */
  readonly tellsStart?: boolean | string;
  /** The values of the base-URL variables before Tapedeck set them. Variables that were not set are left out. */
  readonly before?: Readonly<Record<string, string>>;
  /** Variables that Node processes drop, because clients throw if the project's code sets an address as well. */
  readonly conflictingKeys?: readonly string[];
  /** What test processes get the same in every run, as the setting `freeze` names it. */
  readonly freeze?: readonly string[] | undefined;
  /** Placeholders that tests with mocks go without. */
  readonly spare?: Readonly<Record<string, string>>;
  /** Base-URL variables that tests with mocks keep where the user had none. */
  readonly needed?: readonly string[];
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The variables to set for a process that starts from `base`, and no others. What NODE_OPTIONS and PYTHONPATH hold is
 * kept; what an earlier Tapedeck put there is replaced, so that applying it twice is applying it once.
 */
export function createHookEnvironment(
  options: HookOptions & { readonly base: Variables },
): Record<string, string> {
  const { base, delimiter } = options;
  const { set, nodeOption, pythonFolder } = createHookVariables({
    ...options,
    ...(variableIn(base, GUARD_VARIABLE) === GUARD_OFF && { guard: undefined }),
  });
  const paths = splitList(variableIn(base, "PYTHONPATH"), delimiter).filter(
    (path) => path !== pythonFolder && !OUR_FOLDER.test(path),
  );
  const kept = (variableIn(base, "NODE_OPTIONS") ?? "").replace(OUR_OPTION, "");
  return {
    ...set,
    NODE_OPTIONS: isRestricted(kept.split(/\s+/)) ? kept : `${kept} ${nodeOption}`.trim(),
    ...(pythonFolder !== undefined && { PYTHONPATH: [pythonFolder, ...paths].join(delimiter) }),
  };
}

/** Returns the parts of this environment, for callers that combine them differently. */
export function createHookVariables(options: HookOptions): HookVariables {
  const { hooksDir, url, roots, delimiter, freeze = [] } = options;
  const windows = /^(?:[A-Za-z]:\\|\\\\)/.test(hooksDir);
  const folder = hooksDir.replace(windows ? /[\\/]+$/ : /\/+$/, "");
  // Quotes allow blanks. Inside quotes a backslash is an escape character, so Windows paths use "/".
  const preload = `${windows ? folder.replaceAll("\\", "/") : folder}/javascript/tapedeck-preload.cjs`;
  const pythonFolder = `${folder}${windows ? "\\" : "/"}python`;
  return {
    set: {
      TAPEDECK_URL: url,
      TAPEDECK_ROOTS: roots.filter((root) => root !== "").join(delimiter),
      [GUARD_VARIABLE]: guardValue(options),
      ...(freeze.length > 0 && { TAPEDECK_FREEZE: freeze.join(",") }),
    },
    nodeOption: `--require="${preload.replace(/["\\]/g, "\\$&")}"`,
    // A folder with the delimiter in its path cannot be in a list: the rest would be read as another folder.
    pythonFolder: pythonFolder.includes(delimiter) ? undefined : pythonFolder,
  };
}

/** What `base` has where our addresses are going to stand. */
export function getValuesBefore(addresses: Variables, base: Variables): Record<string, string> {
  return Object.fromEntries(
    Object.keys(addresses).flatMap((name) => {
      const value = variableIn(base, name);
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );
}

/** Says to the hooks which connections they redirect, as JSON, or "off". */
export const GUARD_VARIABLE = "TAPEDECK_GUARD";
export const GUARD_OFF = "off";

function guardValue({
  guard,
  tellsStart = false,
  countsConnections = false,
  allowedHosts,
  before = {},
  conflictingKeys = [],
  spare = {},
  needed = [],
}: HookOptions): string {
  if (guard === undefined) return GUARD_OFF;
  return JSON.stringify({
    v: 1,
    ...guard,
    before,
    ...(conflictingKeys.length > 0 && { conflictingKeys }),
    ...(Object.keys(spare).length > 0 && { spare }),
    ...(needed.length > 0 && { needed }),
    ...(tellsStart !== false && { tell: tellsStart }),
    ...(countsConnections && { counts: true }),
    ...(allowedHosts !== undefined && { allowed: allowedHosts }),
  });
}

/**
 * Whether a command starts a Node that may read what it names and nothing else: before Node 22.17 it then fails over
 * what NODE_OPTIONS loads.
 */
export function isRestricted(words: readonly string[]): boolean {
  return words.some((word) => /^--(?:experimental-)?permission$/.test(word));
}

/**
 * The variables for what a command starts. Where that is a Node that may read little, it may read our hooks as well.
 * What it may start itself would not start with such an option: then it goes without them.
 */
export function adaptVariables<T extends Variables>(command: readonly string[], variables: T): T {
  if (!isRestricted(command)) return variables;
  const [program = "", ...args] = command;
  const script = args.findIndex((word) => !word.startsWith("-"));
  const own = script < 0 ? args : args.slice(0, script);
  const mayReadHooks =
    /(?:^|[\\/])node(?:\.exe)?$/i.test(program) &&
    isRestricted(own) &&
    !own.some((word) => word.startsWith("--allow-child-process"));
  const options = variables["NODE_OPTIONS"]?.replace(OUR_OPTION, (option) => {
    const folder = option.replace("--require=", "--allow-fs-read=").replace("tapedeck-preload.cjs", "");
    return mayReadHooks ? `${option} ${folder.trim()}` : "";
  });
  return options === undefined ? variables : { ...variables, NODE_OPTIONS: options.trim() };
}

export interface HookVariables {
  readonly set: Readonly<Record<string, string>>;
  /** To be added to NODE_OPTIONS. */
  readonly nodeOption: string;
  /** The folder to put first in PYTHONPATH. Undefined if its path contains the delimiter. */
  readonly pythonFolder: string | undefined;
}

/** As stable-hooks.ts makes them, of whatever version. */
const OUR_FOLDER = /[\\/]tapedeck[\\/]hooks[\\/][0-9a-f]{16}[\\/]python$/;

const OUR_OPTION =
  /(?:^|\s+)--require=(?:"(?:\\.|[^"\\])*\/tapedeck-preload\.cjs"|\S*\/tapedeck-preload\.cjs)/g;

/** Windows does not tell case apart in the names of variables. */
function variableIn(base: Variables, name: string): string | undefined {
  if (base[name] !== undefined) return base[name];
  return Object.entries(base).find(([key]) => key.toUpperCase() === name)?.[1];
}

/** A folder of a window with several, and what points its processes to its own server; nothing where it is off. */
export interface FolderVariables {
  readonly root: string;
  readonly set: Readonly<Record<string, string>>;
}

/**
 * For processes that start with one folder's variables, wherever they run: with this as TAPEDECK_FOLDERS, the hooks put
 * the variables of the folder that a process is started in, in their place. `folders` begins with the folder whose
 * variables stand; `before` is what the variables were without any. Undefined where it would be too long for a variable.
 */
export function formatFolderTable(
  folders: readonly FolderVariables[],
  before: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const names = new Set(folders.flatMap(({ set }) => Object.keys(set)));
  const own = Object.fromEntries([...names].map((name) => [name, before[name]]));
  const table = JSON.stringify({ before: own, folders });
  return table.length <= LONGEST ? table : undefined;
}

/** Windows takes 32,767 characters. */
const LONGEST = 24_000;
