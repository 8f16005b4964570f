import { writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve as resolvePath, sep } from "node:path";
import { addressOf, readEntry } from "../../core/cassette/address.ts";
import type { RecordingAddress } from "../../core/cassette/recording.ts";
import { noSuchRecording } from "../../storage/folder/failures.ts";
import { readText, isWithoutLinks } from "../../storage/folder/read-file.ts";
import { replaceWhole } from "../../storage/folder/temporary.ts";
import {
  areTwoReplies,
  chooseRecording,
  isRecordingOf,
  type Choice,
  type Versions,
} from "../../core/merge/choose-recording.ts";
import { plural } from "../../core/plural.ts";
import { visibleLine } from "../../core/view/visible.ts";
import { usage } from "../options/arguments.ts";
import { DIR_HELP, openFolder } from "../options/read-options.ts";
import { EXIT, type Command, type Arguments } from "../command.ts";
import { findConflicts, markResolved, type Conflict } from "../git/conflicts.ts";
import { tell, type Terminal } from "../terminal.ts";

export const gitResolve: Command = {
  name: "git resolve",
  summary: "Settle merge conflicts in recordings.",
  synopsis: "git resolve [--ours|--theirs|--both] [--dir D] | git resolve --driver BASE OURS THEIRS PATH",
  options: [
    DIR_HELP,
    ["--ours", "keep the recordings of the branch that you are on"],
    ["--theirs", "keep those of the branch that comes in (in a rebase: of your own)"],
    ["--both", "keep ours, and theirs as further takes of the same call"],
    [
      "--driver",
      'as git\'s merge driver: git config merge.tapedeck.driver "tapedeck git resolve --driver %O %A %B %P"',
    ],
  ],
  takes: "names",
  async execute(args, terminal) {
    const wanted = wantedSide(args);
    if (args.has("driver")) return drive(args, terminal);
    if (args.positionals.length > 0)
      throw usage("git resolve", "git resolve settles the whole folder and takes no path.");
    const { deck, dir, shownDir } = await openFolder(args, terminal);
    await deck.close();
    const conflicts = await findConflicts(dir);
    const settling = { dir, wanted, terminal, sides: new Map() };
    let left = 0;
    for (const conflict of conflicts) if (!(await settle(conflict, settling))) left += 1;
    const settled = `${plural(conflicts.length - left, "conflict")} in ${shownDir} settled`;
    terminal.err(
      left === 0 ? `${settled}.\n` : `${settled}, ${left} left: --ours, --theirs or --both decides.\n`,
    );
    return left === 0 ? EXIT.ok : EXIT.failed;
  },
};

type Wanted = "ours" | "theirs" | "both" | undefined;

function wantedSide(args: Arguments): Wanted {
  const given = (["ours", "theirs", "both"] as const).filter((side) => args.has(side));
  if (given.length > 1 || (given.length === 1 && args.has("driver")))
    throw usage("git resolve", "--ours, --theirs, --both and --driver exclude each other.");
  return given[0];
}

interface Settling {
  readonly dir: string;
  readonly wanted: Wanted;
  readonly terminal: Terminal;
  /** By call, whose takes are kept: they follow one another, so those of two branches are not mixed. */
  readonly sides: Map<string, "ours" | "theirs">;
}

const BY_LINES =
  "merged line by line, before its marks were left: lines outside of them may be of either branch. Look at it, or record the call again.";

/** Resolves to whether it is settled. */
async function settle(conflict: Conflict, settling: Settling): Promise<boolean> {
  const { dir, wanted, terminal } = settling;
  const { address, versions, isUnmerged } = conflict;
  const { entry } = address;
  if (!isWithoutLinks(dir, dirname(entry))) throw noSuchRecording(entry);
  const isBoth = wanted === "both" && areTwoReplies(versions, address);
  const choice = isBoth ? ({ side: "ours" } as const) : choose(conflict, settling);
  if ("undecided" in choice) {
    tell(terminal, "warning", `${entry}: ${choice.undecided}.`);
    return false;
  }
  const text = versions[choice.side];
  const changed = [entry];
  if (isBoth) {
    const further = await freeTake(dir, address);
    await writeFile(join(dir, further), versions.theirs ?? "", { flag: "wx" });
    changed.push(further);
    terminal.out(`${entry}  ours, and theirs as ${further}\n`);
  } else terminal.out(`${entry}  ${choice.side}${text === undefined ? ": deleted" : ""}\n`);
  if (text !== undefined) await replaceWhole(join(dir, entry), text);
  if (!isUnmerged) tell(terminal, "warning", `${entry} was ${BY_LINES}`);
  if (isUnmerged) await markResolved(dir, changed, { isDeleted: text === undefined });
  return true;
}

function choose({ address, versions }: Conflict, { wanted, sides }: Settling): Choice {
  if (wanted === "ours" || wanted === "theirs") return { side: wanted };
  const call = `${address.provider} ${address.key}`;
  const known = sides.get(call);
  if (known !== undefined && isRecordingOf(versions[known], address)) return { side: known };
  const choice = chooseRecording(versions, address);
  if ("side" in choice) sides.set(call, choice.side);
  return choice;
}

async function freeTake(dir: string, { provider, key, take }: RecordingAddress): Promise<string> {
  for (let next = take + 1; ; next += 1) {
    const { entry } = addressOf(provider, key, next);
    if ((await readText(join(dir, entry)).catch(() => undefined)) === undefined) return entry;
  }
}

/** Git reads the merge from the second file, and a conflict from the exit code. */
async function drive(args: Arguments, terminal: Terminal): Promise<number> {
  const [base, ours, theirs, path, ...more] = args.positionals;
  if (
    base === undefined ||
    ours === undefined ||
    theirs === undefined ||
    path === undefined ||
    more.length > 0
  )
    throw usage("git resolve", "--driver takes four paths, as git gives them for %O %A %B %P.");
  const file = resolvePath(terminal.cwd, ours);
  const texts = await Promise.all(
    [base, ours, theirs].map(async (name) => readText(resolvePath(terminal.cwd, name))),
  );
  const [before = "", left = "", right = ""] = texts;
  const versions: Versions = { base: before === "" ? undefined : before, ours: left, theirs: right };
  const address = readEntry(path.split(/[\\/]/).slice(-4).join("/"));
  const choice =
    "wrong" in address ? { undecided: "it is not named as a recording" } : chooseRecording(versions, address);
  if ("undecided" in choice) {
    const shown = visibleLine(relative(terminal.cwd, resolvePath(terminal.cwd, path)).split(sep).join("/"));
    tell(terminal, "warning", `${shown}: ${choice.undecided}. See: tapedeck git resolve --help`);
    return EXIT.failed;
  }
  if (choice.side === "theirs") await writeFile(file, right);
  return EXIT.ok;
}
