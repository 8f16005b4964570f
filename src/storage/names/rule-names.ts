import { formatCommand, localize, getProgramName } from "../../core/base/localize.ts";
import { existsSync, lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readOperationRequest } from "../../core/match/read-request.ts";
import type { CassetteStore } from "../../core/cassette/store.ts";
import type { Key, Mode } from "../../core/call/call.ts";
import { CONFIG_NAME } from "../../core/config/config.ts";
import { type Normalizer, computeKey } from "../../core/match/key/key.ts";
import type { Recording, RecordingAddress } from "../../core/cassette/recording.ts";
import { localizeCount } from "../../core/base/plural.ts";
import { readFields, tryParsePlainJson } from "../../core/base/lenient.ts";
import {
  discard,
  makeFolders,
  replaceWhole,
  syncFolder,
  writeTemporary,
  claimName,
} from "../folder/durable-write.ts";
import {
  GONE,
  createNoSuchRecordingError,
  runStorageTask,
  convertStorageFailure,
  recoverFromCodes,
} from "../folder/failures.ts";
import { computeSha256, READ_LIMITS, isWithoutLinks, readBytesNow, readText } from "../folder/read-file.ts";
import { readAll } from "../check/read-all.ts";
import type { Project } from "../local/project-file.ts";
import { createRecordingAddress } from "../../core/cassette/address.ts";
import { groupBy } from "../../core/base/group-by.ts";
import { hasEarlier } from "../local/earlier.ts";
import { type CheckFinding, createFileFinding } from "../check/findings.ts";
import { unlink } from "node:fs/promises";
import { changeKey } from "../../core/cassette/change-key.ts";
import { readLocalState, updateLocal } from "../local/local-state.ts";

/**
 * A recording's file is named by the key of its request under the rules of the project. This file in the cassette
 * folder, committed with it, has a fingerprint of the rules by which the recordings were named. It is absent where
 * there are none.
 */
export const RULES_FILE = "rules.json";

/** The project's rules as far as names depend on them. */
type RuledProject = Pick<Project, "normalizer" | "problem" | "rules">;

export type RuleNames = ReturnType<typeof createRuleNames>;

export interface RuleNamesOptions {
  readonly dir: string;
  readonly store: CassetteStore;
  readonly project: { readonly current: RuledProject };
  readonly notify: (notice: { readonly level: "info" | "warning"; readonly message: string }) => void;
}

/** Keeps the names of recordings in step with the rules of the project. */
export function createRuleNames({ dir, store, project, notify }: RuleNamesOptions) {
  let renaming: Promise<RenamedRecordings> | undefined;
  /** Whether the recordings were named under other rules than the present ones. */
  const areOutdated = (): boolean => areNamesOutdated(dir, project.current);

  const renameNow = async (current: RuledProject): Promise<RenamedRecordings> => {
    const outcome = await nameByRules(dir, store, current.normalizer);
    await writeFingerprint(dir, fingerprintOf(current));
    const { renamed, left } = outcome;
    if (renamed.length > 0)
      notify({
        level: "info",
        message: localizeCount(
          renamed.length,
          "{0} recording renamed, because the rules in {1} changed.",
          "{0} recordings renamed, because the rules in {1} changed.",
          CONFIG_NAME,
        ),
      });
    if (left.length > 0)
      notify({
        level: "warning",
        message: localizeCount(
          left.length,
          "{0} recording kept its old name: {1} See: tapedeck check",
          "{0} recordings kept their old names: {1} See: tapedeck check",
          left[0]?.message ?? "",
        ),
      });
    return outcome;
  };

  /** Renames recordings if the rules changed, except those whose requests the rules would merge. */
  const rename = (): Promise<RenamedRecordings> => {
    renaming ??= renameNow(project.current).finally(() => (renaming = undefined));
    return renaming;
  };

  /**
   * Prepares the folder for calls under the present rules. In record and refresh mode, renames recordings whose names do
   * not match the rules; in other modes, warns and writes nothing. Undefined if there is nothing to wait for.
   */
  const prepare = (mode: Mode): Promise<unknown> | undefined => {
    if (renaming !== undefined) return writes(mode) ? renaming : undefined;
    const { problem } = project.current;
    if (problem !== undefined && writes(mode) && readFingerprint(dir) !== undefined)
      return Promise.reject(problem); // without the rules, calls that are recorded would be paid for again
    if (!areOutdated()) return undefined;
    if (writes(mode)) return rename();
    if (existsSync(join(dir, "calls"))) notify({ level: "warning", message: outdatedText() });
    return undefined;
  };

  return { areOutdated, rename, prepare };
}

const writes = (mode: Mode): boolean => mode === "record" || mode === "refresh";

/** The likely reason of misses, and the command that removes it. */
const outdatedText = (): string =>
  localize(
    "The rules in {0} changed after the recordings were named, so calls may miss their recordings. Rename the recordings: {1}",
    CONFIG_NAME,
    formatCommand(`${getProgramName()} check --fix`, localize("switch to record mode once.")),
  );

/** The key of a recording's request under rules. @throws TapedeckError where the request cannot be read. */
export const computeKeyUnderRules = (recording: Recording, normalize: Normalizer | undefined): Key =>
  computeKey(readOperationRequest(recording), computeSha256, normalize);

async function nameByRules(
  dir: string,
  store: CassetteStore,
  normalize: Normalizer | undefined,
): Promise<RenamedRecordings> {
  const keyed: KeyedRecording[] = [];
  for await (const { address, recording } of readAll(store))
    if (recording !== undefined) keyed.push({ address, key: computeKeyUnderRules(recording, normalize) });
  const { renames, findings } = await planNames(dir, keyed, { store, normalize, isOutdated: true });
  const { renamed } = await renameRecordings(dir, renames);
  const isRenamed = new Set(renamed.map(({ from }) => from));
  return { renamed, left: findings.filter(({ entry }) => !isRenamed.has(entry)) };
}

/** Whether the recordings of a folder were named under other rules than those of the project. */
export const areNamesOutdated = (dir: string, project: RuledProject): boolean =>
  project.problem === undefined && readFingerprint(dir) !== fingerprintOf(project);

const fingerprintOf = ({ rules }: RuledProject): string | undefined => rules || undefined;

function readFingerprint(dir: string): string | undefined {
  try {
    const { rules } = readFields(
      tryParsePlainJson(readBytesNow(join(dir, RULES_FILE), { most: READ_LIMITS.source }).toString("utf8")),
    );
    return typeof rules === "string" ? rules : undefined;
  } catch {
    return undefined;
  }
}

/** Notes by which rules the recordings are named now. @throws TapedeckError `tapedeck_cassette` where the disk refuses. */
async function writeFingerprint(dir: string, fingerprint: string | undefined): Promise<void> {
  if (readFingerprint(dir) === fingerprint) return;
  await runStorageTask(dir, async () => {
    await makeFolders(dir, "calls");
    await replaceWhole(join(dir, RULES_FILE), `${JSON.stringify({ rules: fingerprint ?? null })}\n`);
  });
}

/** A recording, and the key that its request has under the rules of now. */
export interface KeyedRecording {
  readonly address: RecordingAddress;
  readonly key: Key;
}

/** A recording whose name is not its key, and the name that is. */
export interface Rename {
  readonly from: string;
  readonly to: RecordingAddress;
}

export interface NamePlan {
  readonly renames: readonly Rename[];
  readonly findings: readonly CheckFinding[];
}

export interface NamingRules {
  readonly store: CassetteStore;
  readonly normalize: Normalizer | undefined;
  /** Whether the recordings were named under other rules than the present ones. */
  readonly isOutdated: boolean;
}

/** Which recordings are named by another key than the one that they have, why, and what can be done about it. */
export async function planNames(
  dir: string,
  recordings: readonly KeyedRecording[],
  { store, normalize, isOutdated }: NamingRules,
): Promise<NamePlan> {
  const renames: Rename[] = [];
  const findings: CheckFinding[] = [];
  const computeExactKey = async ({ address, key }: KeyedRecording): Promise<Key> =>
    normalize === undefined ? key : computeKeyUnderRules(await store.read(address.entry), undefined);
  for (const group of groupBy(recordings, ({ address, key }) => `${address.provider}\n${key}`)) {
    for (const one of group.filter(({ address, key }) => address.key !== key)) {
      const { entry, provider, take, key: name } = one.address;
      const exact = await computeExactKey(one);
      const other = group.find(({ address }) => address.key !== name);
      if (other !== undefined) {
        findings.push(createMergedFinding(entry, other, exact === (await computeExactKey(other))));
      } else if (hasEarlier(dir, entry)) {
        const message = localize("Its key is {0}. Accept or discard its new response first.", one.key);
        findings.push(createFileFinding("misnamed", entry, message));
      } else {
        renames.push({ from: entry, to: createRecordingAddress(provider, one.key, take) });
        findings.push(createMisnamedFinding(entry, one.key, isOutdated || exact === name));
      }
    }
  }
  return { renames, findings };
}

function createMisnamedFinding(entry: string, key: Key, haveRulesChanged: boolean): CheckFinding {
  const message = haveRulesChanged
    ? localize("The rules changed. Under them, the key of its request is {0}.", key)
    : localize("It was edited, so its request no longer matches its name. Its key is now {0}.", key);
  return createFileFinding("misnamed", entry, message);
}

/** Rules cannot merge requests that are identical without them. */
function createMergedFinding(entry: string, other: KeyedRecording, isSameRequest: boolean): CheckFinding {
  return isSameRequest
    ? createFileFinding(
        "edited",
        entry,
        localize(
          "It was edited, so its request no longer matches its name. It is now that of {0}.",
          other.address.entry,
        ),
      )
    : createFileFinding(
        "same-by-rules",
        entry,
        localize("The rules treat it and {0} as the same call.", other.address.entry),
      );
}

/** What became of recordings whose names do not fit their keys. */
export interface RenamedRecordings {
  readonly renamed: readonly Rename[];
  /** Recordings that kept their names, and why. */
  readonly left: readonly CheckFinding[];
}

/**
 * Renames recordings to match their keys and keeps comments in their files. Each recording has one of its two names at
 * any moment. This machine's notes about a recording are moved with it.
 * @throws TapedeckError `tapedeck_cassette` if the disk refuses; the recordings before it are renamed.
 */
export async function renameRecordings(
  dir: string,
  renames: readonly Rename[],
): Promise<Pick<RenamedRecordings, "renamed">> {
  const renamed: Rename[] = [];
  let left = renames;
  try {
    // A name may be free only after its recording got another one.
    for (let before = -1; left.length > 0 && left.length !== before;) {
      before = left.length;
      const taken: Rename[] = [];
      for (const one of left) {
        const outcome = await renameOne(dir, one);
        if (outcome === "renamed") renamed.push(one);
        if (outcome === "taken") taken.push(one);
      }
      left = taken;
    }
    return { renamed };
  } catch (error) {
    throw convertStorageFailure(dir, error);
  } finally {
    await renameInState(dir, renamed);
  }
}

/** "gone": another one renamed it, or deleted it, since it was looked at. */
async function renameOne(dir: string, { from, to }: Rename): Promise<"renamed" | "taken" | "gone"> {
  if (lstatSync(join(dir, from), { throwIfNoEntry: false }) === undefined) return "gone";
  // The target of a link does not belong to the folder.
  if (!isWithoutLinks(dir, dirname(from))) throw createNoSuchRecordingError(from);
  const text = await readText(join(dir, from)).catch(recoverFromCodes(GONE, undefined));
  if (text === undefined) return "gone";
  const folder = await makeFolders(dir, dirname(to.entry));
  const temporary = await writeTemporary(folder, changeKey(text, to.key));
  try {
    if (!claimName(temporary, join(folder, basename(to.entry)))) return "taken";
    await syncFolder(folder);
  } finally {
    await discard(temporary);
  }
  await unlink(join(dir, from)).catch(recoverFromCodes(GONE, undefined));
  await syncFolder(dirname(join(dir, from)));
  return "renamed";
}

async function renameInState(dir: string, renames: readonly Rename[]): Promise<void> {
  if (renames.length === 0) return;
  const names = new Map(renames.map(({ from, to }) => [from, to.entry]));
  for (const state of ["usage", "candidates"]) {
    if ((await readLocalState(dir, state)).value === undefined) continue;
    await updateLocal(dir, state, (now) => renamedIn(now, names));
  }
}

function renamedIn(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((one: unknown) => renamedIn(one, names));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [names.get(name) ?? name, renamedIn(one, names)]),
  );
}
