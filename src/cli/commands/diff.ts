import { localize } from "../../core/base/localize.ts";
import { groupChanges, type Changes, type ChangedFiles } from "../../core/view/changes/group-changes.ts";
import type { PlacedRecording } from "../../core/view/changes/pair-changes.ts";
import { writeVisibleJson } from "../../core/base/visible.ts";
import { createUsageError } from "../options/arguments.ts";
import { getDirHelp, openFolder } from "../options/read-options.ts";
import { EXIT, type Command } from "../command.ts";
import { summarizeTest } from "../report/call-line.ts";
import { formatChangesMarkdown, summarizeChanges, formatChanges } from "../report/changes-text.ts";
import { printMessage } from "../terminal.ts";
import { join } from "node:path";
import { readEntry } from "../../core/cassette/address.ts";
import { decodeRecording } from "../../core/cassette/codec.ts";
import { attempt } from "../../core/base/errors.ts";
import { readBlob } from "../../storage/folder/blobs.ts";
import { readBytes } from "../../storage/folder/read-file.ts";
import { listGitNames, runGit } from "../git/run-git.ts";

export const diff: Command = {
  name: "diff",
  summary: localize("Show the changes in the recordings since a git revision, grouped by cause."),
  synopsis: "diff [REV] [--dir D] [--json|--markdown]",
  options: [
    ["REV", localize("the revision to compare with, e.g. origin/main (default HEAD)")],
    getDirHelp(),
    ["--json", localize("print the changes as JSON")],
    ["--markdown", localize("print Markdown for a pull request comment or $GITHUB_STEP_SUMMARY")],
  ],
  takes: "names",
  async execute(args, terminal) {
    const [revision = "HEAD", ...more] = args.positionals;
    if (more.length > 0) throw createUsageError("diff", localize("diff takes one revision."));
    if (args.has("json") && args.has("markdown"))
      throw createUsageError("diff", localize("--json and --markdown cannot be combined."));
    const { deck, dir, shownDir } = await openFolder(args, terminal);
    await deck.close();
    const { unreadable, ...files } = await changedSince(dir, revision);
    const changes = groupChanges(files);
    for (const entry of unreadable)
      printMessage(
        terminal,
        "warning",
        localize("{0} changed, but one of its versions cannot be read as a recording.", entry),
      );
    const title = localize("{0} since {1}", shownDir, revision);
    if (args.has("json")) terminal.out(`${writeVisibleJson(changesJson(changes, unreadable), 2)}\n`);
    else if (args.has("markdown")) terminal.out(formatChangesMarkdown(changes, title));
    else terminal.out(formatChanges(changes));
    terminal.err(`${title}: ${summarizeChanges(changes)}\n`);
    return EXIT.ok;
  },
};

function changesJson(changes: Changes, unreadable: readonly string[]): Readonly<Record<string, unknown>> {
  const { causes, added, removed, replies, again } = changes;
  return {
    changed: causes.map(({ differences, calls }) => ({
      differences,
      calls: calls.map(({ before, after }) => ({ before: before.entry, ...row(after) })),
    })),
    added: added.map(row),
    removed: removed.map(row),
    replies: replies.map(({ after }) => row(after)),
    again: again.map(({ after }) => row(after)),
    unreadable,
  };
}

function row({ entry, recording: { model, test } }: PlacedRecording): Readonly<Record<string, unknown>> {
  return { entry, model: model ?? null, test: test === undefined ? null : summarizeTest(test) };
}

interface FilesSince extends ChangedFiles {
  /** Entries that changed and that cannot be read, now or then. */
  readonly unreadable: readonly string[];
}

/**
 * The recordings of a cassette folder that are otherwise than in a revision, committed or not.
 * @throws TapedeckError `tapedeck_usage` where git does not know the revision, or is not there.
 */
async function changedSince(dir: string, revision: string): Promise<FilesSince> {
  const verify = ["rev-parse", "--verify", "-q", "--end-of-options", `${revision}^{commit}`];
  const commit = (await runGit(dir, verify)).toString("utf8").trim();
  const listing = ["diff", "--name-status", "--no-renames", "--relative", "-z", commit, "--", "calls"];
  const listed = await listGitNames(dir, listing);
  const untracked = await listGitNames(dir, ["ls-files", "-o", "--exclude-standard", "-z", "--", "calls"]);
  const states = new Map<string, string>(untracked.map((entry) => [entry, "A"]));
  for (let at = 0; at + 1 < listed.length; at += 2) {
    const [state = "", entry = ""] = listed.slice(at, at + 2);
    // Deleted from the index and there again, it is both.
    states.set(entry, states.has(entry) ? "M" : state);
  }
  const entries = [...states.keys()].filter((entry) => !("wrong" in readEntry(entry))).sort();
  const then = await versionsAt(
    dir,
    commit,
    entries.filter((entry) => states.get(entry) !== "A"),
  );
  const found = {
    removed: [] as PlacedRecording[],
    added: [] as PlacedRecording[],
    kept: [] as { before: PlacedRecording; after: PlacedRecording }[],
  };
  const unreadable: string[] = [];
  for (const entry of entries) {
    const state = states.get(entry);
    const before = state === "A" ? undefined : placeRecording(dir, entry, then.get(entry));
    const after =
      state === "D"
        ? undefined
        : placeRecording(dir, entry, await readBytes(join(dir, entry)).catch(() => undefined));
    if (before !== undefined && after !== undefined) found.kept.push({ before, after });
    else if (before !== undefined && state === "D") found.removed.push(before);
    else if (after !== undefined && state === "A") found.added.push(after);
    else unreadable.push(entry);
  }
  return { ...found, unreadable };
}

/** Blobs of earlier states are those of now where they are still there: they are named by their content. */
function placeRecording(
  dir: string,
  entry: string,
  bytes: Uint8Array | undefined,
): PlacedRecording | undefined {
  const address = readEntry(entry);
  if (bytes === undefined || "wrong" in address) return undefined;
  const options = { readBlob: (hash: string) => readBlob(dir, hash) };
  return attempt(
    () => ({ entry, recording: decodeRecording(bytes, address, options) }),
    () => undefined,
  );
}

async function versionsAt(
  dir: string,
  commit: string,
  entries: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const versions = new Map<string, Uint8Array>();
  if (entries.length === 0) return versions;
  const objectNames = entries.map((entry) => `${commit}:./${entry}\n`).join("");
  const output = await runGit(dir, ["cat-file", "--batch"], objectNames);
  let at = 0;
  for (const entry of entries) {
    const end = output.indexOf(10, at);
    const size = / blob (\d+)$/.exec(output.toString("utf8", at, end))?.[1];
    at = end + 1;
    if (size === undefined) continue; // "… missing"
    versions.set(entry, output.subarray(at, at + Number(size)));
    at += Number(size) + 1;
  }
  return versions;
}
