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
   * Whether each process with our hooks reports that it started, to the server. With a path, processes append their pid
   * and command line to that file, which costs less than a connection.
   */
  readonly tellsStart?: boolean | string;
  /** The values of the base-URL variables before Tapedeck set them. Variables that were not set are left out. */
  readonly before?: Readonly<Record<string, string>>;
  /** Variables that Node processes drop, because clients throw if the project's code sets an address as well. */
  readonly conflictingKeys?: readonly string[];
  /** The sources of chance and time that repeat in every run, as in the setting `freeze`. */
  readonly freeze?: readonly string[] | undefined;
  /** Placeholders that tests with mocks go without. */
  readonly spare?: Readonly<Record<string, string>>;
  /** Base-URL variables that tests with mocks keep where the user had none. */
  readonly needed?: readonly string[];
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Returns the variables to set for a process that starts with `base`. Keeps the user's entries in NODE_OPTIONS and
 * PYTHONPATH, and replaces those of an earlier Tapedeck, so that applying it twice has no further effect.
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
    NODE_OPTIONS: `${kept} ${nodeOption}`.trim(),
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

/** Returns the values that `base` has for the variables of these addresses. Variables that are not set are left out. */
export function getValuesBefore(addresses: Variables, base: Variables): Record<string, string> {
  const upperCase = Object.fromEntries(
    Object.entries(base).map(([name, value]) => [name.toUpperCase(), value]),
  );
  return Object.fromEntries(
    Object.keys(addresses).flatMap((name) => {
      const value = base[name] ?? upperCase[name];
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );
}

/** The variable with the connections that the hooks redirect, as JSON, or "off". */
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

export interface HookVariables {
  readonly set: Readonly<Record<string, string>>;
  /** To be added to NODE_OPTIONS. */
  readonly nodeOption: string;
  /** The folder to put first in PYTHONPATH. Undefined if its path contains the delimiter. */
  readonly pythonFolder: string | undefined;
}

/** Matches the folders that stable-hooks.ts makes, of any version. */
const OUR_FOLDER = /[\\/]tapedeck[\\/]hooks[\\/][0-9a-f]{16}[\\/]python$/;

const OUR_OPTION =
  /(?:^|\s+)--require=(?:"(?:\\.|[^"\\])*\/tapedeck-preload\.cjs"|\S*\/tapedeck-preload\.cjs)/g;

/** Returns the value of a variable. Ignores case if no variable has exactly this name, because Windows does. */
function variableIn(base: Variables, name: string): string | undefined {
  if (base[name] !== undefined) return base[name];
  return Object.entries(base).find(([key]) => key.toUpperCase() === name)?.[1];
}

/** One of several folders of a window. */
export interface FolderVariables {
  readonly root: string;
  /** The variables that connect processes of the folder to its server; empty if it is off. */
  readonly set: Readonly<Record<string, string>>;
}

/**
 * Returns the value of TAPEDECK_FOLDERS, with which the hooks give each process the variables of the folder in which it
 * starts. `folders` begins with the folder whose variables the processes inherit; `before` has the values without those of
 * any folder. Undefined if the value is too long for a variable.
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
