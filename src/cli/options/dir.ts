import { resolve } from "node:path";
import type { Arguments } from "./arguments.ts";
import type { Terminal } from "../terminal.ts";

export const DEFAULT_DIR = ".tapedeck";

/** A cassette folder as an option names it. */
export interface NamedDir {
  /** Absolute. */
  readonly dir: string;
  /** As the user wrote it, for messages. */
  readonly shownDir: string;
}

export function readDir(args: Arguments, terminal: Terminal): NamedDir {
  const shownDir = args.value("dir") ?? DEFAULT_DIR;
  return { dir: resolve(terminal.cwd, shownDir), shownDir };
}
