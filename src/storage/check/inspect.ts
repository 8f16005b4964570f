import { localize } from "../../core/base/localize.ts";
import { readEntry } from "../../core/cassette/address.ts";
import type { TestRef } from "../../core/call/call.ts";
import type { Recording, RecordingAddress } from "../../core/cassette/recording.ts";
import { CONFIG_NAME } from "../../core/config/config.ts";
import type { CassetteStore } from "../../core/cassette/store.ts";
import type { TapedeckError } from "../../core/base/errors.ts";
import type { JudgedRecording } from "../../core/view/usage/unused.ts";
import { isUsageKnown, mapUsersByEntry, type RecordingUsage } from "../../core/view/usage/usage.ts";
import { decodeText } from "../../core/base/wire/text.ts";
import { parseInstant } from "../../core/base/age.ts";
import { findLeftOver } from "../folder/durable-write.ts";
import { readArrivalTime } from "../folder/arrival.ts";
import type { Stray } from "../folder/folder-store.ts";
import {
  type CheckFinding,
  byPlace,
  capitalizeSentence,
  createUnreadableFinding,
  createFileFinding,
} from "./findings.ts";
import { type FoundRecording, readAll } from "./read-all.ts";
import type { Project } from "../local/project-file.ts";
import { readUsage } from "../local/usage-file.ts";
import { type SecretFinder, createSecretFinder } from "./secret-findings.ts";
import { createTestFinder, type FindAbsence } from "./test-presence.ts";
import { findUnused } from "./unused-recordings.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import {
  type KeyedRecording,
  areNamesOutdated,
  computeKeyUnderRules,
  planNames,
} from "../names/rule-names.ts";
import { createHash } from "node:crypto";
import { relative } from "node:path";

export interface Inspection {
  /** By file and position. */
  readonly findings: readonly CheckFinding[];
  readonly recordings: number;
  /** False until a run was seen: nothing can be called unused before. */
  readonly isUsageKnown: boolean;
  /** Problems of the local state, as sentences for people. */
  readonly notice?: string;
}

export interface InspectOptions {
  readonly store: CassetteStore;
  /** The cassette folder. */
  readonly dir: string;
  /** Folders to which the files of tests are relative. */
  readonly roots: readonly string[];
  /** Files among the recordings that are not recordings. */
  readonly strays?: readonly Stray[];
  /** Told how many of how many recordings were looked at. */
  readonly onProgress?: (done: number, all: number) => void;
  /** The project's file beside the folder. Without it, secrets are not searched for. */
  readonly project?: Project;
  /** Aborted: what was found so far is enough. */
  readonly signal?: AbortSignal;
}

/** Looks at everything in the folder; changes nothing. */
export async function inspect(options: InspectOptions): Promise<Inspection> {
  const { dir, store, roots, onProgress, signal } = options;
  const findAbsence = createTestFinder(roots);
  const repeated = createRepeatedTakes();
  const findings: CheckFinding[] = [];
  for (const { path, reason } of options.strays ?? [])
    findings.push(createFileFinding("stray-file", path, capitalizeSentence(reason)));
  findings.push(...(await leftOverFindings(dir)));
  const { project } = options;
  if (project?.problem) findings.push(configFinding(project.problem));
  const secrets = project && (await createSecretFinder(project));
  findings.push(...((await secrets?.inBlobs(dir)) ?? []));
  const { usage, broken } = await readUsage(dir);
  const findStale = createStaleCheck(usage, findAbsence);
  const judged: JudgedRecording[] = [];
  const keyed: KeyedRecording[] = [];
  let recordings = 0;
  for await (const found of readAll(store, dir)) {
    if (signal?.aborted === true) break;
    recordings += 1;
    onProgress?.(recordings, found.all);
    findings.push(...faultsOf(found, { repeated, secrets }));
    const { address, recording } = found;
    if (recording === undefined) continue;
    // Entries of other caches are not named by keys of requests.
    if (!("wrong" in readEntry(address.entry)))
      keyed.push({ address, key: computeKeyUnderRules(recording, project?.normalizer) });
    const { test, recordedAt } = recording;
    findings.push(...(await findStale(address.entry, test)));
    const times = {
      recordedAt: parseInstant(recordedAt) ?? 0,
      arrivedAt: found.file?.stats.ctimeMs ?? readArrivalTime(dir, address.entry),
    };
    judged.push({ address, ...times, test });
  }
  const names = await planNames(dir, keyed, {
    store,
    normalize: project?.normalizer,
    isOutdated: project !== undefined && areNamesOutdated(dir, project),
  });
  findings.push(...names.findings, ...repeated.findings());
  const unused = await findUnused(usage, judged, findAbsence);
  findings.push(...unused.findings);
  return {
    findings: findings.sort(byPlace),
    recordings,
    isUsageKnown: isUsageKnown(usage),
    ...pickDefined({ notice: broken }),
  };
}

/** Finds recordings whose test no longer exists, unless an existing test used them on this machine: it may be renamed. */
function createStaleCheck(usage: RecordingUsage, findAbsence: FindAbsence) {
  const users = mapUsersByEntry(usage);
  return async (entry: string, test: TestRef | undefined): Promise<readonly CheckFinding[]> => {
    const absence = test && (await findAbsence(test));
    if (absence === undefined) return [];
    const uses = await Promise.all((users.get(entry) ?? []).map((user) => findAbsence(user.test)));
    return uses.includes(undefined) ? [] : [createFileFinding("stale", entry, absence)];
  };
}

async function leftOverFindings(dir: string): Promise<readonly CheckFinding[]> {
  const paths = await findLeftOver(dir, Date.now());
  const entries = paths.map((path) => relative(dir, path).replaceAll("\\", "/"));
  return entries.map((entry) =>
    createFileFinding("left-over", entry, localize("The process that was writing it has ended.")),
  );
}

/** The file beside the cassette folder. */
function configFinding({ message, position }: TapedeckError): CheckFinding {
  const { line = 1, column = 1 } = position ?? {};
  const reason = message.replace(/^tapedeck\.jsonc:\d+:\d+: /, "");
  return { rule: "config", entry: `../${CONFIG_NAME}`, line, column, message: capitalizeSentence(reason) };
}

interface FileChecks {
  readonly repeated: ReturnType<typeof createRepeatedTakes>;
  readonly secrets: SecretFinder | undefined;
}

/** Finds the faults of one file, and notes its reply among the takes of its call. */
function faultsOf(found: FoundRecording, { repeated, secrets }: FileChecks): readonly CheckFinding[] {
  const { address, recording, broken, file, take } = found;
  const text = file === undefined ? bodyTexts(recording) : decodeText(file.bytes);
  const leaked = secrets?.inRecording(found, text) ?? [];
  if (broken !== undefined) return [createUnreadableFinding(address.entry, broken), ...leaked];
  // A call with one take repeats none.
  if (recording !== undefined && take.of > 1)
    repeated.add(
      address,
      recording,
      createHash("sha256")
        .update(file?.bytes ?? text)
        .digest("hex"),
    );
  return leaked;
}

/** Returns the texts of a recording's request and reply. */
function bodyTexts(recording: Recording | undefined): string {
  if (recording === undefined) return "";
  return `${decodeText(recording.request.body)}\n${decodeText(recording.reply.body)}`;
}

/** The takes at the end of a call that have the same reply, oldest first. */
interface EqualTakes {
  takes: { readonly entry: string; readonly take: number; readonly file: string }[];
  reply: string;
  /** Whether a file has another name than its key, or belongs to an imported cassette: takes are then chosen otherwise. */
  isOther: boolean;
}

/**
 * Finds takes that can be deleted without changing any replay: those at the end of a call whose reply is that of the
 * take before them, because the last take is repeated. An equal take with another one after it is needed: a test that
 * polls sees "none", "one", "none".
 */
export function createRepeatedTakes() {
  const calls = new Map<string, EqualTakes>();
  return {
    /** Takes in the next recording, in the order of takes. `file` is the hash of its whole file. */
    add({ entry, take, key: name }: RecordingAddress, recording: Recording, file: string): void {
      const { provider, key, reply, cassettes } = recording;
      const call = `${provider}\n${key}`;
      const known = calls.get(call) ?? { takes: [], reply: "", isOther: false };
      calls.set(call, known);
      known.isOther ||= name !== key || cassettes !== undefined;
      const { body, ...head } = reply;
      const hashed = createHash("sha256")
        .update(JSON.stringify(head))
        .update("\n")
        .update(body)
        .digest("hex");
      const follows = known.reply === hashed && known.takes.at(-1)?.take === take - 1;
      if (!follows) known.takes = [];
      known.takes.push({ entry, take, file });
      known.reply = hashed;
    },
    findings(): readonly CheckFinding[] {
      return [...calls.values()].flatMap(({ takes: [first, ...others], isOther }) =>
        first === undefined || isOther
          ? []
          : others.map(({ entry, file }) =>
              file === first.file
                ? createFileFinding("same-file", entry, localize("It is a copy of {0}.", first.entry))
                : createFileFinding(
                    "duplicate",
                    entry,
                    localize("It has the same response as {0}, and no take follows.", first.entry),
                  ),
            ),
      );
    },
  };
}
