import { relative, sep } from "node:path";
import type { Terminal } from "./terminal.ts";

/** Returns the words that start this program again, by where its file is. */
export function findProgramName({ program, cwd, env }: Pick<Terminal, "program" | "cwd" | "env">): string {
  const parts = program.split(sep);
  // What npx or dlx downloaded for one command: without its name, npx would download another package.
  if (parts.some((part) => /^(?:_npx|dlx(?:-\d+)?)$/.test(part)))
    return "npx --package llm-tapedeck tapedeck";
  // Yarn's Plug'n'Play has no node_modules/.bin, so npx would download another package here as well.
  if (parts.includes(".yarn")) return "yarn tapedeck";
  if (parts.includes("node_modules") || parts.at(-1) !== "cli.js") return "npx tapedeck";
  // The wheel for Python, which knows where it installed this command.
  if (parts.slice(-4, -1).join("/") === "tapedeck/program/dist") return env["TAPEDECK_COMMAND"] ?? "tapedeck";
  return `node ${quote(relative(cwd, program))}`;
}

/** Quotes a word for a shell, if it must be quoted: for a POSIX shell, or on Windows for cmd.exe and PowerShell. */
export function quote(word: string): string {
  if (process.platform === "win32")
    return /^[\w@+=:./\\-]+$/.test(word) ? word : `"${word.replaceAll('"', String.raw`\"`)}"`;
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
