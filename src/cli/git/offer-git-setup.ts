import { existsSync } from "node:fs";
import { join } from "node:path";
import { explain } from "../../core/errors.ts";
import { ASKED_GIT_SETUP, ATTRIBUTES, isInRepository } from "../../storage/git-attributes.ts";
import { createSurveyor } from "../../storage/folder/survey.ts";
import { readLocal, writeLocal } from "../../storage/local/local-state.ts";
import type { NamedDir } from "../options/dir.ts";
import type { RunEvent } from "../report/run-report.ts";
import { tell, type Terminal } from "../terminal.ts";
import { hasDriver, setUpAttributes, setUpDriver } from "./set-up.ts";

/**
 * Where a run recorded in a repository: asks whoever sits there, once in a clone, whether git is to be set up for
 * recordings. Where nobody does, the run that made the first recordings of a folder names the command.
 */
export async function offerGitSetup(
  named: NamedDir,
  events: readonly RunEvent[],
  terminal: Terminal,
): Promise<void> {
  const { dir } = named;
  const made = new Set(events.flatMap(({ outcome, entry }) => (outcome === "recorded" ? (entry ?? []) : [])));
  if (made.size === 0 || !isInRepository(dir)) return;
  const say = (line: string): void => terminal.err(`${line}\n`);
  if (terminal.ask === undefined) {
    if (await isFirst(dir, made)) say(`${WHY}: tapedeck git-setup --driver.`);
    return;
  }
  if ((await readLocal(dir, ASKED_GIT_SETUP)) !== undefined || (await hasDriver(dir))) return;
  const answer = await terminal.ask(`${WHY}. Set it up for this clone? [y/N] `);
  try {
    await writeLocal(dir, ASKED_GIT_SETUP, true);
    if (!/^y(?:es)?$/i.test(answer.trim()))
      return say("Nothing was set up. Later: tapedeck git-setup --driver.");
    await setUpAttributes(named, terminal);
    await setUpDriver(dir, terminal);
  } catch (error) {
    // The run is over, and its recordings are there.
    tell(terminal, "warning", `Git was not set up: ${explain(error)}`);
  }
}

const WHY = "Git can fold recordings in reviews and merge those of two branches without a conflict";

/** Whether nothing was recorded before, and nobody set anything up. */
async function isFirst(dir: string, made: ReadonlySet<string>): Promise<boolean> {
  if (existsSync(join(dir, ATTRIBUTES))) return false;
  const { addresses } = await createSurveyor(dir)();
  return addresses.every(({ entry }) => made.has(entry));
}
