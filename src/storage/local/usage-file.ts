import { existsSync } from "node:fs";
import { joinUsage, type UsagePart } from "../../core/view/usage/usage-notes.ts";
import { type RecordingUsage, readUsageJson, convertUsageToJson } from "../../core/view/usage/usage.ts";
import { removeSecretsFromTests } from "./own-scanner.ts";
import { readLocalState, updateLocal } from "./local-state.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";

const NAME = "usage";

export interface KnownUsage {
  readonly usage: RecordingUsage;
  /** The file was there and is of no use: a sentence. It is rebuilt by the next runs. */
  readonly broken?: string;
}

/** Which recordings of a cassette folder were used on this machine, by all processes. Never throws. */
export async function readUsage(dir: string): Promise<KnownUsage> {
  const { value, broken } = await readLocalState(dir, NAME);
  return { usage: readUsageJson(value), ...pickDefined({ broken }) };
}

/**
 * Adds what runs used. Where there is no cassette folder yet, nothing is written: there is nothing to tell of.
 * @throws TapedeckError `tapedeck_cassette` where the disk refuses.
 */
export async function addUsage(dir: string, parts: readonly UsagePart[]): Promise<KnownUsage> {
  if (!existsSync(dir) || parts.length === 0) return readUsage(dir);
  const redacted = await Promise.all(
    parts.map(async (part) => ({ ...part, tests: await removeSecretsFromTests(part.tests) })),
  );
  let usage = readUsageJson(undefined);
  const { broken } = await updateLocal(dir, NAME, (now) => {
    usage = redacted.reduce((known, part) => joinUsage(known, part), readUsageJson(now));
    return convertUsageToJson(usage);
  });
  return { usage, ...pickDefined({ broken }) };
}
