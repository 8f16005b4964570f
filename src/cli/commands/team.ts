import { localize } from "../../core/base/localize.ts";
import { writeVisibleJson } from "../../core/base/visible.ts";
import { openDeck, type Deck } from "../../deck/deck.ts";
import type * as TeamModule from "../../team/team.ts";
import type { Transfer } from "../../team/transfer.ts";
import { EXIT, type Arguments, type Command, type CommandGroup } from "../command.ts";
import { inspectFolder, readDir } from "../options/dir.ts";
import {
  getCacheHelp,
  getDirOnlyHelp,
  requireRemote,
  getUnlistedRemoteHelp,
} from "../options/serve-options.ts";
import { printWarnings, type Terminal } from "../terminal.ts";

/** An open team cache and its deck, for the commands about team caches. */
interface OpenTeam {
  readonly transfer: Transfer;
  /** The name of the cache, without credentials. */
  readonly cache: string;
  readonly deck: Deck;
  readonly team: typeof TeamModule;
  readonly args: Arguments;
  readonly terminal: Terminal;
}

/** A command that opens the cache and the folder, and closes both. `act` resolves to the exit code. */
function teamCommand(
  name: string,
  { summary, json }: { readonly summary: string; readonly json: string },
  act: (opened: OpenTeam) => Promise<number>,
): Command {
  return {
    name: `team ${name}`,
    summary,
    synopsis: `team ${name} [--remote ADDRESS] [--dir D] [--json]`,
    options: [getCacheHelp(), getDirOnlyHelp(), ["--json", json]],
    unlisted: getUnlistedRemoteHelp(),
    async execute(args, terminal) {
      const settings = await requireRemote(args, terminal);
      const { dir } = readDir(args, terminal);
      if (name === "push") await inspectFolder(dir, { writes: false });
      const team = await import("../../team/team.ts");
      const transfer = await team.openTransfer(dir, settings);
      const deck = openDeck({ dir, env: terminal.env });
      try {
        return await act({ transfer, cache: settings.address.name, deck, team, args, terminal });
      } finally {
        await deck.close();
        await transfer.close();
      }
    },
  };
}

const teamPull = teamCommand(
  "pull",
  {
    summary: localize("Download recordings from the team cache that this project does not have yet."),
    json: localize("print the downloaded recordings as JSON"),
  },
  async ({ transfer, cache, deck, team, args, terminal }) => {
    await deck.project.reload();
    const pulled = await team.pull(transfer, deck.project.current.normalizer);
    printWarnings(terminal, pulled.refused);
    if (args.has("json")) terminal.out(`${writeVisibleJson(pulled)}\n`);
    terminal.err(`${team.describePulled(pulled, cache)}\n`);
    return EXIT.ok;
  },
);

const teamPush = teamCommand(
  "push",
  {
    summary: localize(
      "Upload the recordings of this project, with prompts and responses, to the team cache.",
    ),
    json: localize("print the uploaded and skipped recordings as JSON"),
  },
  async ({ transfer, cache, deck, team, args, terminal }) => {
    const pushed = await team.push(transfer, (recording) => deck.admit(recording));
    const { newer, kept } = pushed;
    printWarnings(terminal, [
      ...kept.map(({ entry, why }) => localize("{0} was not uploaded. {1}", entry, why)),
      ...newer.map((entry) =>
        localize("{0} was not uploaded, because the cache has a newer recording of this call.", entry),
      ),
    ]);
    if (args.has("json")) terminal.out(`${writeVisibleJson(pushed)}\n`);
    terminal.err(`${team.describePushed(pushed, cache)}\n`);
    return kept.length > 0 ? EXIT.failed : EXIT.ok;
  },
);

const teamKey: Command = {
  name: "team key",
  summary: localize("Create a key pair for a team cache."),
  synopsis: "team key",
  options: [],
  async execute(_args, terminal) {
    const { newKeyPair } = await import("../../team/team.ts");
    const { privateKey, publicKey } = newKeyPair();
    terminal.out(`${privateKey}\n${publicKey}\n`);
    terminal.err(
      localize(
        "Set TAPEDECK_REMOTE_KEY to the first key to upload recordings; it is a secret. The second key is public and only reads.\n",
      ),
    );
    return EXIT.ok;
  },
};

export const team: CommandGroup = {
  name: "team",
  summary: localize("Share recordings through a team cache: pull, push, key."),
  actions: [teamPull, teamPush, teamKey],
};
