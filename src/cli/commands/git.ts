import { localize } from "../../core/base/localize.ts";
import { type CommandGroup, EXIT, type Command } from "../command.ts";
import { getDirHelp, openFolder } from "../options/read-options.ts";
import { setUpAttributes } from "../git/set-up.ts";
import { dirname, join, relative, sep } from "node:path";
import { byAddress, formatCallName, readEntry } from "../../core/cassette/address.ts";
import type { RecordingAddress } from "../../core/cassette/recording.ts";
import { createNoSuchRecordingError } from "../../storage/folder/failures.ts";
import { readText, isWithoutLinks } from "../../storage/folder/read-file.ts";
import { replaceWhole } from "../../storage/folder/durable-write.ts";
import {
  chooseRecording,
  isRecordingOf,
  type Choice,
  type Versions,
  splitConflictSides,
} from "../../core/cassette/merge/choose-recording.ts";
import { localizeCount } from "../../core/base/plural.ts";
import { createUsageError } from "../options/arguments.ts";
import { printMessage, type Terminal } from "../terminal.ts";
import { createFolderIndex } from "../../storage/folder/folder-store.ts";
import { listGitNames, runGit } from "../git/run-git.ts";

/** Sets git up for recordings in this folder. */
const gitSetup: Command = {
  name: "git setup",
  summary: localize(
    "Write .gitattributes, so that git keeps recordings byte for byte and folds them in reviews.",
  ),
  synopsis: "git setup [--dir D]",
  options: [getDirHelp()],
  async execute(args, terminal) {
    const { deck, dir, shownDir } = await openFolder(args, terminal);
    await deck.close();
    await setUpAttributes({ dir, shownDir }, terminal);
    return EXIT.ok;
  },
};

const gitResolve: Command = {
  name: "git resolve",
  summary: localize("Resolve merge conflicts in recordings."),
  synopsis: "git resolve [--ours|--theirs] [--dir D]",
  options: [
    getDirHelp(),
    ["--ours", localize("keep the recordings of the current branch")],
    ["--theirs", localize("keep the recordings of the incoming branch (in a rebase: of your branch)")],
  ],
  async execute(args, terminal) {
    const [keptSide, other] = (["ours", "theirs"] as const).filter((side) => args.has(side));
    if (other !== undefined)
      throw createUsageError("git resolve", localize("--ours and --theirs cannot be combined."));
    const { deck, dir, shownDir } = await openFolder(args, terminal);
    await deck.close();
    const conflicts = await findConflicts(dir);
    const settling = { dir, keptSide, terminal, sides: new Map() };
    let left = 0;
    for (const conflict of conflicts) if (!(await settle(conflict, settling))) left += 1;
    terminal.err(
      `${localizeCount(conflicts.length - left, "{0} conflict in {1} resolved.", "{0} conflicts in {1} resolved.", shownDir)}\n`,
    );
    if (left > 0)
      terminal.err(
        `${localizeCount(left, "{0} conflict left. Decide with --ours or --theirs.", "{0} conflicts left. Decide with --ours or --theirs.")}\n`,
      );
    return left === 0 ? EXIT.ok : EXIT.failed;
  },
};

interface ResolveContext {
  readonly dir: string;
  readonly keptSide: "ours" | "theirs" | undefined;
  readonly terminal: Terminal;
  /** By call, whose takes are kept: they follow one another, so those of two branches are not mixed. */
  readonly sides: Map<string, "ours" | "theirs">;
}

/** Resolves to whether it is settled. */
async function settle(conflict: Conflict, settling: ResolveContext): Promise<boolean> {
  const { dir, terminal } = settling;
  const { address, versions, isUnmerged } = conflict;
  const { entry } = address;
  if (!isWithoutLinks(dir, dirname(entry))) throw createNoSuchRecordingError(entry);
  const choice = choose(conflict, settling);
  if ("undecided" in choice) {
    printMessage(terminal, "warning", localize("{0}.", `${entry}: ${choice.undecided}`));
    return false;
  }
  const text = versions[choice.side];
  terminal.out(`${entry}  ${choice.side}${text === undefined ? ": deleted" : ""}\n`);
  if (text !== undefined) await replaceWhole(join(dir, entry), text);
  if (!isUnmerged)
    printMessage(
      terminal,
      "warning",
      localize(
        "{0} was merged line by line, so lines outside of its conflict markers may belong to either branch. Check the file, or record the call again.",
        entry,
      ),
    );
  if (isUnmerged) await markResolved(dir, entry, { isDeleted: text === undefined });
  return true;
}

function choose({ address, versions }: Conflict, { keptSide, sides }: ResolveContext): Choice {
  if (keptSide !== undefined) return { side: keptSide };
  const call = formatCallName(address);
  const known = sides.get(call);
  if (known !== undefined && isRecordingOf(versions[known], address)) return { side: known };
  const choice = chooseRecording(versions, address);
  if ("side" in choice) sides.set(call, choice.side);
  return choice;
}

/** A recording that two branches changed differently, according to git's index or conflict markers in its file. */
interface Conflict {
  readonly address: RecordingAddress;
  readonly versions: Versions;
  /** Whether git's index lists it as unmerged; otherwise conflict markers were left in the file. */
  readonly isUnmerged: boolean;
}

/** Finds all conflicts in a cassette folder, by call and take. @throws TapedeckError if git cannot be run. */
async function findConflicts(dir: string): Promise<readonly Conflict[]> {
  const unmerged = await unmergedIn(dir);
  const known = new Set(unmerged.map(({ address }) => address.entry));
  const marked: Conflict[] = [];
  for (const address of createFolderIndex(dir).survey().addresses) {
    if (known.has(address.entry)) continue;
    const text = await readText(join(dir, address.entry)).catch(() => "");
    const sides = text.includes("<<<<<<<") ? splitConflictSides(text) : undefined;
    if (sides !== undefined)
      marked.push({ address, versions: { base: undefined, ...sides }, isUnmerged: false });
  }
  return [...unmerged, ...marked].sort((a, b) => byAddress(a.address, b.address));
}

/** Marks a conflict as resolved in git: the file as it is now, or deleted. */
async function markResolved(
  dir: string,
  entry: string,
  { isDeleted }: { readonly isDeleted: boolean },
): Promise<void> {
  const how = isDeleted ? ["rm", "-q", "-f"] : ["add", "-f"];
  await runGit(dir, [...how, "--", entry]);
}

const STAGES = { "1": "base", "2": "ours", "3": "theirs" } as const;

async function unmergedIn(dir: string): Promise<readonly Conflict[]> {
  const lines = await listGitNames(dir, ["ls-files", "-u", "-z", "--", "calls"]);
  const stages = new Map<string, { base?: string; ours?: string; theirs?: string }>();
  for (const line of lines) {
    const [, id = "", stage = "", path = ""] = /^\d+ ([0-9a-f]+) ([123])\t(.*)$/s.exec(line) ?? [];
    const name = STAGES[stage as keyof typeof STAGES];
    stages.set(path, { ...stages.get(path), [name]: id });
  }
  const conflicts: Conflict[] = [];
  for (const [path, { base, ours, theirs }] of stages) {
    const address = readEntry(relative(dir, join(dir, path)).split(sep).join("/"));
    if ("wrong" in address) continue;
    const versions = {
      base: await blob(dir, base),
      ours: await blob(dir, ours),
      theirs: await blob(dir, theirs),
    };
    conflicts.push({ address, versions, isUnmerged: true });
  }
  return conflicts;
}

async function blob(dir: string, id: string | undefined): Promise<string | undefined> {
  return id === undefined ? undefined : (await runGit(dir, ["cat-file", "blob", id])).toString("utf8");
}

export const git: CommandGroup = {
  name: "git",
  summary: localize("Set git up for recordings, or resolve merge conflicts in them: setup, resolve."),
  actions: [gitSetup, gitResolve],
};
