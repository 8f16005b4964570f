import { statSync } from "node:fs";
import { win32 } from "node:path";

/** The arguments of `spawn`. `verbatim`: the option `windowsVerbatimArguments`. */
export interface StartedCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly verbatim: boolean;
}

export interface WindowsOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly exists?: (path: string) => boolean;
}

/**
 * How a command is started on Windows, where npx, npm and what packages install are batch files, which only the
 * interpreter can start. They are looked for where the user's are, never in the working directory. Undefined where no
 * program of that name is there, or one that is neither a program nor a batch file.
 */
export function createWindowsCommand(
  command: string,
  args: readonly string[],
  options: WindowsOptions,
): StartedCommand | undefined {
  const file = programFile(command, options);
  if (file === undefined) return undefined;
  const kind = win32.extname(file).toLowerCase();
  if (kind === ".exe" || kind === ".com") return { file, args, verbatim: false };
  if (kind !== ".cmd" && kind !== ".bat") return undefined;
  const line = [escapeArgument(file), ...args.map(batchArgument)].join(" ");
  const interpreter = variableIn(options.env, "ComSpec") ?? "cmd.exe";
  return { file: interpreter, args: ["/d", "/s", "/c", `"${line}"`], verbatim: true };
}

function programFile(command: string, { env, cwd, exists = isFile }: WindowsOptions): string | undefined {
  const kinds = (variableIn(env, "PATHEXT") ?? ".COM;.EXE;.BAT;.CMD").split(";").filter(Boolean);
  const isWhole = kinds.some((kind) => command.toLowerCase().endsWith(kind.toLowerCase()));
  const names = isWhole ? [command] : kinds.map((kind) => command + kind);
  const folders = /[\\/]/.test(command)
    ? [cwd]
    : (variableIn(env, "PATH") ?? "").split(";").filter((folder) => win32.isAbsolute(folder));
  return folders
    .flatMap((folder) => names.map((name) => win32.resolve(folder, name)))
    .find((path) => exists(path));
}

/** The interpreter reads a batch file's arguments twice: on its own line, and where the file passes them on. */
const batchArgument = (argument: string): string => escapeArgument(escapeArgument(quoteArgument(argument)));

/** In quotes, as a program's own parser takes it back. */
export const quoteArgument = (argument: string): string =>
  `"${argument.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, "$1$1")}"`;

/** Nothing in it, not even a quote, is left for the interpreter to act on. */
const escapeArgument = (text: string): string => text.replace(/[()\][%!^"`<>&|;, *?]/g, "^$&");

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** Case does not matter in the names of variables. */
function variableIn(env: WindowsOptions["env"], name: string): string | undefined {
  return Object.entries(env).find(([key]) => key.toUpperCase() === name.toUpperCase())?.[1];
}
