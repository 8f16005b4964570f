import { existsSync } from "node:fs";
import { join } from "node:path";
import { operationRequest } from "../../core/read-request.ts";
import type { CassetteStore } from "../../core/cassette/store.ts";
import type { Key, Mode } from "../../core/call.ts";
import { CONFIG_NAME } from "../../core/config/config.ts";
import { computeKey, type Normaliser } from "../../core/match/key/key.ts";
import type { Recording } from "../../core/cassette/recording.ts";
import { plural } from "../../core/plural.ts";
import { fieldsOf, jsonIn } from "../../core/protocol/base/lenient.ts";
import { createFolderMaker } from "../folder/folders.ts";
import { orFailure } from "../folder/failures.ts";
import { readBytesNow, READ_LIMITS } from "../folder/read-file.ts";
import { sha256 } from "../folder/sha256.ts";
import { replaceWhole } from "../folder/temporary.ts";
import { readAll } from "../check/read-all.ts";
import type { Project } from "../local/project-file.ts";
import { planNames, type KeyedRecording } from "./plan-names.ts";
import { renameRecordings, type RenamedRecordings } from "./rename-recordings.ts";

/**
 * A recording's file is named by the key of its request under the rules of the project. This file in the cassette
 * folder, committed with it, has a fingerprint of the rules by which the recordings were named. It is absent where
 * there are none.
 */
export const RULES_FILE = "rules.json";

/** The project's rules as far as names depend on them. */
type RuledProject = Pick<Project, "normaliser" | "problem"> & {
  readonly config: Pick<Project["config"], "normalise">;
};

/** Keeps the names of recordings in step with the rules of the project. */
export interface RuleNames {
  /**
   * To be called before each call of a run. Reads the rules again where they changed. In record and refresh it renames recordings whose names do not fit the
   * rules; in strict and lenient it warns once and writes nothing. Undefined where there is nothing to wait for.
   */
  prepare(mode: Mode): Promise<unknown> | undefined;
  /** Renames recordings where the rules changed. Two requests that the rules would merge are left alone. */
  rename(): Promise<RenamedRecordings>;
  /** Whether the recordings were named by other rules, as of now. */
  areOutdated(): boolean;
}

export interface RuleNamesOptions {
  readonly dir: string;
  readonly store: CassetteStore;
  readonly project: { readonly current: RuledProject; refresh(): Promise<void> | undefined };
  readonly notify: (notice: { readonly level: "info" | "warning"; readonly message: string }) => void;
}

export function createRuleNames({ dir, store, project, notify }: RuleNamesOptions): RuleNames {
  let settledFor: RuledProject | undefined;
  let renaming: Promise<RenamedRecordings> | undefined;
  const areOutdated = (): boolean =>
    project.current.problem === undefined && readFingerprint(dir) !== fingerprintOf(project.current);

  const renameNow = async (current: RuledProject): Promise<RenamedRecordings> => {
    const outcome = await nameByRules(dir, store, current.normaliser);
    await writeFingerprint(dir, fingerprintOf(current));
    const { renamed, left } = outcome;
    if (renamed.length > 0)
      notify({
        level: "info",
        message: `${plural(renamed.length, "recording")} renamed, because the rules in ${CONFIG_NAME} changed.`,
      });
    if (left.length > 0)
      notify({
        level: "warning",
        message: `${plural(left.length, "recording")} kept the old name: ${left[0]?.message ?? ""} See: tapedeck check`,
      });
    return outcome;
  };

  const rename = (): Promise<RenamedRecordings> => {
    const current = project.current;
    settledFor = current;
    renaming ??= renameNow(current).finally(() => (renaming = undefined));
    return renaming;
  };

  const prepare = (mode: Mode): Promise<unknown> | undefined => {
    if (renaming !== undefined && writes(mode)) return renaming;
    const { problem } = project.current;
    if (problem !== undefined && writes(mode) && readFingerprint(dir) !== undefined)
      return Promise.reject(problem); // without the rules, calls that are recorded would be paid for again
    if (settledFor === project.current) return undefined;
    const isOutdated = areOutdated();
    if (isOutdated && writes(mode)) return rename();
    settledFor = project.current;
    if (isOutdated && existsSync(join(dir, "calls"))) notify({ level: "warning", message: OUTDATED });
    return undefined;
  };

  return {
    areOutdated,
    rename,
    prepare(mode) {
      const refreshing = project.refresh();
      return refreshing === undefined ? prepare(mode) : refreshing.then(() => prepare(mode));
    },
  };
}

const writes = (mode: Mode): boolean => mode === "record" || mode === "refresh";

/** The likely reason of misses, and the command that removes it. */
export const OUTDATED = `The rules in ${CONFIG_NAME} changed after the recordings were named, so that calls may miss recordings that answer them. Rename the recordings: npx tapedeck check --fix`;

/** The key of a recording's request under rules. @throws TapedeckError where the request cannot be read. */
export const keyUnderRules = (recording: Recording, normalise: Normaliser | undefined): Key =>
  computeKey(operationRequest(recording), sha256, normalise);

async function nameByRules(
  dir: string,
  store: CassetteStore,
  normalise: Normaliser | undefined,
): Promise<RenamedRecordings> {
  const keyed: KeyedRecording[] = [];
  for await (const { address, recording } of readAll(store))
    if (recording !== undefined) keyed.push({ address, key: keyUnderRules(recording, normalise) });
  const { renames, findings } = planNames(dir, keyed);
  const { renamed } = await renameRecordings(dir, renames);
  const isRenamed = new Set(renamed.map(({ from }) => from));
  return { renamed, left: findings.filter(({ entry }) => !isRenamed.has(entry)) };
}

/** Undefined where no rule changes a key. */
function fingerprintOf({ config: { normalise } }: RuledProject): string | undefined {
  return normalise.length === 0 ? undefined : `sha256:${sha256(JSON.stringify(normalise))}`;
}

function readFingerprint(dir: string): string | undefined {
  try {
    const { rules } = fieldsOf(
      jsonIn(readBytesNow(join(dir, RULES_FILE), { most: READ_LIMITS.source }).toString("utf8")),
    );
    return typeof rules === "string" ? rules : undefined;
  } catch {
    return undefined;
  }
}

/** Notes by which rules the recordings are named now. @throws TapedeckError `tapedeck_cassette` where the disk refuses. */
async function writeFingerprint(dir: string, fingerprint: string | undefined): Promise<void> {
  if (readFingerprint(dir) === fingerprint) return;
  await orFailure(dir, async () => {
    await createFolderMaker(dir).ensure("calls");
    await replaceWhole(join(dir, RULES_FILE), `${JSON.stringify({ rules: fingerprint ?? null })}\n`);
  });
}
