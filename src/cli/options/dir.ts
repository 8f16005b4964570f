import { resolve } from "node:path";
import { expectNoLinkOut } from "../../storage/inside.ts";
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

/** @throws TapedeckError `tapedeck_cassette` where nobody named the folder and it is a link that leads out of the project. */
export function readDir(args: Arguments, terminal: Terminal): NamedDir {
  const named = args.value("dir");
  if (named === undefined) expectInside(terminal.cwd);
  const shownDir = named ?? DEFAULT_DIR;
  return { dir: resolve(terminal.cwd, shownDir), shownDir };
}

/** A repository may bring a link with it: what is written there is not for a stranger to say. */
export function expectInside(cwd: string): void {
  expectNoLinkOut(resolve(cwd, DEFAULT_DIR), cwd, `Name it with --dir ${DEFAULT_DIR} if that is meant.`);
}
