/** What a test process needs to say which test makes a call. */
export interface HookOptions {
  /** The folder that holds `javascript/` and `python/`, absolute. */
  readonly hooksDir: string;
  /** Address of the replay server with its token, `http://127.0.0.1:PORT/TOKEN`. */
  readonly url: string;
  /** The workspace's folders: stack frames in them count as the user's. */
  readonly roots: readonly string[];
  /** Between paths in a variable: node's `path.delimiter`. */
  readonly delimiter: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The variables to set for a process that starts from `base`, and no others. What NODE_OPTIONS and PYTHONPATH hold is
 * kept; what an earlier Tapedeck put there is replaced, so that applying it twice is applying it once.
 */
export function hookEnvironment(options: HookOptions & { readonly base: Variables }): Record<string, string> {
  const { base, delimiter } = options;
  const { set, append, prepend } = hookVariables(options);
  const folder = prepend.PYTHONPATH.slice(0, -delimiter.length);
  const paths = (valueOf(base, "PYTHONPATH") ?? "")
    .split(delimiter)
    .filter((path) => path !== "" && path !== folder);
  const kept = (valueOf(base, "NODE_OPTIONS") ?? "").replace(OUR_OPTION, "");
  return {
    ...set,
    NODE_OPTIONS: (kept + append.NODE_OPTIONS).trim(),
    PYTHONPATH: [folder, ...paths].join(delimiter),
  };
}

/**
 * The same for whoever only knows how to add to variables whose value it cannot see, as VS Code does for terminals.
 * A PYTHONPATH that was empty is left with a delimiter at its end, which the hook itself takes away again.
 */
export function hookVariables({ hooksDir, url, roots, delimiter }: HookOptions): HookVariables {
  const windows = /^(?:[A-Za-z]:\\|\\\\)/.test(hooksDir);
  const folder = hooksDir.replace(windows ? /[\\/]+$/ : /\/+$/, "");
  // Quotes allow blanks. Inside them Node takes a backslash for an escape, so "/" stands for it on Windows.
  const preload = `${windows ? folder.replaceAll("\\", "/") : folder}/javascript/tapedeck-preload.cjs`;
  return {
    set: { TAPEDECK_URL: url, TAPEDECK_ROOTS: roots.join(delimiter) },
    append: { NODE_OPTIONS: ` --require="${preload.replace(/["\\]/g, "\\$&")}"` },
    prepend: { PYTHONPATH: `${folder}${windows ? "\\" : "/"}python${delimiter}` },
  };
}

export interface HookVariables {
  readonly set: { readonly TAPEDECK_URL: string; readonly TAPEDECK_ROOTS: string };
  readonly append: { readonly NODE_OPTIONS: string };
  readonly prepend: { readonly PYTHONPATH: string };
}

const OUR_OPTION =
  /(?:^|\s+)--require=(?:"(?:\\.|[^"\\])*\/tapedeck-preload\.cjs"|\S*\/tapedeck-preload\.cjs)/g;

/** Windows does not tell case apart in the names of variables. */
function valueOf(base: Variables, name: string): string | undefined {
  if (base[name] !== undefined) return base[name];
  return Object.entries(base).find(([key]) => key.toUpperCase() === name)?.[1];
}
