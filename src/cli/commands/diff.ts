import { groupChanges, type Changes } from "../../core/changes/group-changes.ts";
import type { ChangedCall, Placed } from "../../core/changes/pair-changes.ts";
import { visibleJson } from "../../core/view/visible.ts";
import { readArguments, usage } from "../options/arguments.ts";
import { DIR_HELP, openFolder } from "../options/read-options.ts";
import { EXIT, type Command } from "../command.ts";
import { changedSince } from "../git/changed-files.ts";
import { testSummary } from "../report/call-line.ts";
import { changesMarkdown, changesSummary, changesText } from "../report/changes-text.ts";
import { tell } from "../terminal.ts";

export const diff: Command = {
  name: "diff",
  summary: "Say what changed in the recordings since a git revision, by its cause.",
  synopsis: "diff [REV] [--dir D] [--json|--markdown]",
  options: [
    ["REV", "what to compare with (default HEAD), e.g. origin/main"],
    DIR_HELP,
    ["--json", "the same as JSON, each recording named"],
    ["--markdown", "for a comment on a pull request or $GITHUB_STEP_SUMMARY"],
  ],
  async execute(argv, terminal) {
    const args = readArguments(diff, argv);
    const [revision = "HEAD", ...more] = args.positionals;
    if (more.length > 0) throw usage("diff", "diff takes one revision.");
    if (args.has("json") && args.has("markdown"))
      throw usage("diff", "--json and --markdown exclude each other.");
    const { deck, dir, shownDir } = await openFolder(args, terminal);
    await deck.close();
    const { unreadable, ...files } = await changedSince(dir, revision);
    const changes = groupChanges(files);
    for (const entry of unreadable)
      tell(terminal, "warning", `${entry} changed and cannot be read as a recording, now or then.`);
    const title = `${shownDir} since ${revision}`;
    if (args.has("json")) terminal.out(`${visibleJson(changesJson(changes, unreadable), 2)}\n`);
    else if (args.has("markdown")) terminal.out(changesMarkdown(changes, title));
    else terminal.out(changesText(changes));
    terminal.err(`${title}: ${changesSummary(changes)}\n`);
    return EXIT.ok;
  },
};

function changesJson(changes: Changes, unreadable: readonly string[]): Readonly<Record<string, unknown>> {
  const { causes, added, removed, replies, again } = changes;
  return {
    changed: causes.map(({ differences, calls }) => ({ differences, calls: calls.map(changedRow) })),
    added: added.map(row),
    removed: removed.map(row),
    replies: replies.map(({ after }) => row(after)),
    again: again.map(({ after }) => row(after)),
    unreadable,
  };
}

function changedRow({ before, after }: ChangedCall): Readonly<Record<string, unknown>> {
  return { before: before.entry, ...row(after) };
}

function row({ entry, recording: { model, test } }: Placed): Readonly<Record<string, unknown>> {
  return { entry, model: model ?? null, test: test === undefined ? null : testSummary(test) };
}
