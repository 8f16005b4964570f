import { localize } from "../core/base/localize.ts";
import { once } from "node:events";
import { isatty } from "node:tty";
import { explain } from "../core/base/errors.ts";
import { formatCount } from "../core/base/plural.ts";
import { getPathInside } from "../storage/inside.ts";
import { makeVisible } from "../core/base/visible.ts";
import { withoutWorkflowCommands } from "../core/base/workflow-commands.ts";

/** The parts of the process that a command may use. */
export interface Terminal {
  /**
   * Standard output, for programs. Control characters and CI workflow commands in text from other sources are escaped;
   * Tapedeck's own colors stay as they are.
   */
  out(text: string): void;
  /** Standard output without escaping, for files of other tools. */
  outAsIs(text: string): void;
  /** Standard error, for people. Escapes the same characters as `out`. */
  err(text: string): void;
  readonly color: { readonly out: boolean; readonly err: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The program's file as it was started. */
  readonly program: string;
  readonly signals: Signals;
  /** Whether standard input is a terminal, which then also signals the commands that we run. */
  readonly hasKeyboard: boolean;
  /** Asks the user and returns the line that they type; absent if the session is not interactive. */
  readonly ask?: (question: string) => Promise<string>;
  /** The standard streams of a command that we run. */
  readonly streams: readonly [input: number | "ignore", output: number, error: number];
  /** Milliseconds since the epoch. */
  now(): number;
}

/**
 * Returns the folder to which paths in reports are relative: the checkout of the GitHub workflow if the current folder
 * is in it, otherwise the current folder.
 */
export function getReportBase({ env, cwd }: Pick<Terminal, "env" | "cwd">): string {
  const checkout = env["GITHUB_WORKSPACE"];
  return checkout && getPathInside(checkout, cwd) !== undefined ? checkout : cwd;
}

/** The signal listeners of `process` or any `EventEmitter`. */
export interface Signals {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  off(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
}

export type Color = "red" | "yellow" | "green" | "dim" | "bold";

const CODES: Record<Color, readonly [on: number, off: number]> = {
  red: [31, 39],
  yellow: [33, 39],
  green: [32, 39],
  dim: [2, 22],
  bold: [1, 22],
};

/** Returns the text in a color if `wanted`, otherwise unchanged. */
export function paint(isColored: boolean, color: Color, text: string): string {
  const [on, off] = CODES[color];
  return isColored ? `\u001b[${on}m${text}\u001b[${off}m` : text;
}

export const formatLevel = (level: "warning" | "error"): string =>
  level === "error" ? localize("error") : localize("warning");

/** Prints a message for people to standard error, prefixed with its level. */
export function printMessage(
  terminal: Pick<Terminal, "err" | "color">,
  level: "warning" | "error",
  text: string,
): void {
  const color = level === "error" ? "red" : "yellow";
  terminal.err(`${paint(terminal.color.err, color, `${formatLevel(level)}:`)} ${text}\n`);
}

/** Asks for confirmation. Returns false if the session is not interactive. */
export async function askYesNo({ ask }: Pick<Terminal, "ask">, question: string): Promise<boolean> {
  return /^y(?:es)?$/i.test(((await ask?.(`${question} [y/N] `)) ?? "").trim());
}

/** Maximum warnings of one kind to print; `--json` lists all of them. */
const MOST_PRINTED = 10;

/** Prints the first warnings of a list and the number of the others. */
export function printWarnings(terminal: Pick<Terminal, "err" | "color">, texts: readonly string[]): void {
  for (const text of texts.slice(0, MOST_PRINTED)) printMessage(terminal, "warning", text);
  const more = texts.length - MOST_PRINTED;
  if (more > 0)
    printMessage(
      terminal,
      "warning",
      localize("{0} more like these. Use --json to see all.", formatCount(more)),
    );
}

/** One of the codes that `paint` writes. */
const PAINT = new RegExp(`(\u001b\\[(?:${Object.values(CODES).flat().join("|")})m)`, "u");

/** Returns the output functions of a terminal that writes to these streams. */
export function createWriters(
  out: (text: string) => void,
  err: (text: string) => void,
): Pick<Terminal, "out" | "outAsIs" | "err"> {
  return { out: (text) => out(visiblyPainted(text)), outAsIs: out, err: (text) => err(visiblyPainted(text)) };
}

/**
 * Escapes terminal codes other than Tapedeck's own colors, and CI workflow commands, because they come from text of
 * other sources.
 */
function visiblyPainted(text: string): string {
  const shown = text.split(PAINT).map((piece, index) => (index % 2 === 1 ? piece : makeVisible(piece)));
  return withoutWorkflowCommands(shown.join(""));
}

export function createProcessTerminal(): Terminal {
  process.stdout.on("error", leave);
  process.stderr.on("error", leave);
  return {
    ...createWriters(
      (text) => void process.stdout.write(text),
      (text) => void process.stderr.write(text),
    ),
    color: {
      out: wantsColor(process.env, process.stdout.isTTY),
      err: wantsColor(process.env, process.stderr.isTTY),
    },
    env: process.env,
    cwd: process.cwd(),
    program: process.argv[1] ?? "",
    signals: process,
    hasKeyboard: isatty(0),
    ...(isatty(0) && isatty(2) && { ask: askPerson }),
    streams: [0, 1, 2],
    now: () => Date.now(),
  };
}

async function askPerson(question: string): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // Closing the input counts as no.
    return await Promise.race([lines.question(question), once(lines, "close").then(() => "")]);
  } finally {
    lines.close();
  }
}

/** Ends the program if its output cannot be written. A reader that closes the pipe early (`| head`) is not a failure. */
function leave(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(0);
  process.stderr.write(
    `${formatLevel("error")}: ${localize("The output cannot be written: {0}", explain(error))}\n`,
  );
  process.exit(1);
}

/**
 * Checks FORCE_COLOR, then NO_COLOR, then whether the stream is a terminal. Sources: no-color.org, force-color.org.
 */
export function wantsColor(env: Terminal["env"], isTty: boolean | undefined): boolean {
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined && forced !== "") return forced !== "0" && forced !== "false";
  if ((env["NO_COLOR"] ?? "") !== "") return false;
  return isTty === true && env["TERM"] !== "dumb";
}

/** Resolves once everything written so far has left the process. */
export async function flush(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise<void>((resolve) => stream.write("", () => resolve()));
  }
}
