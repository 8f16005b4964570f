import { countText, plural } from "../../core/base/plural.ts";
import { visibleJson } from "../../core/base/visible.ts";
import { openDeck, type Deck } from "../../deck/deck.ts";
import type * as TeamModule from "../../team/team.ts";
import type { Transfer } from "../../team/transfer.ts";
import { EXIT, type Arguments, type Command, type CommandGroup } from "../command.ts";
import { inspectFolder, readDir } from "../options/dir.ts";
import { CACHE_HELP, DIR_ONLY_HELP, needRemote, UNLISTED_REMOTE_HELP } from "../options/serve-options.ts";
import { tellSome, type Terminal } from "../terminal.ts";

/** An open team cache and its deck, for the commands about team caches. */
interface Opened {
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
  act: (opened: Opened) => Promise<number>,
): Command {
  return {
    name: `team ${name}`,
    summary,
    synopsis: `team ${name} [--remote ADDRESS] [--dir D] [--json]`,
    options: [CACHE_HELP, DIR_ONLY_HELP, ["--json", json]],
    unlisted: UNLISTED_REMOTE_HELP,
    async execute(args, terminal) {
      const settings = await needRemote(args, terminal);
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

const were = (count: number): string => (count === 1 ? "was" : "were");

const teamStatus = teamCommand(
  "status",
  { summary: "Show whether the team cache can be read, and what it has.", json: "as JSON" },
  async ({ transfer, team, args, terminal }) => {
    const status = await team.statusOf(transfer);
    const { cache, writes, there, brought } = status;
    const access = writes
      ? "and, with your private key, written"
      : "and not written: there is no private key";
    const counts = `${plural(there, "call")} there, ${plural(brought, "recording")} downloaded`;
    terminal.out(
      args.has("json") ? `${visibleJson(status)}\n` : `${cache} can be read ${access}\n${counts}\n`,
    );
    return EXIT.ok;
  },
);

const teamPull = teamCommand(
  "pull",
  {
    summary: "Download recordings from the team cache that this project does not have yet.",
    json: "the downloaded recordings, as JSON",
  },
  async ({ transfer, cache, deck, team, args, terminal }) => {
    await deck.project.reload();
    const { brought, here, refused } = await team.pull(transfer, deck.project.current.normaliser);
    tellSome(terminal, refused);
    if (args.has("json")) terminal.out(`${visibleJson({ brought, here, refused })}\n`);
    const notUsed = refused.length > 0 ? `, ${countText(refused.length)} not used` : "";
    terminal.err(
      `${plural(brought.length, "recording")} downloaded from ${cache}; ${plural(here, "call")} ${were(here)} here${notUsed}.\n`,
    );
    return EXIT.ok;
  },
);

const teamPush = teamCommand(
  "push",
  {
    summary: "Upload the recordings of this project, with their prompts and answers, to the team cache.",
    json: "what was uploaded and what was not, as JSON",
  },
  async ({ transfer, cache, deck, team, args, terminal }) => {
    const pushed = await team.push(transfer, (recording) => deck.admit(recording));
    const { added, there, newer, kept } = pushed;
    tellSome(terminal, [
      ...kept.map(({ entry, why }) => `${entry} was not uploaded. ${why}`),
      ...newer.map((entry) => `${entry} was not uploaded, because the cache has a newer one of this call.`),
    ]);
    if (args.has("json")) terminal.out(`${visibleJson({ added, there, newer, kept })}\n`);
    const left = newer.length > 0 ? `, ${countText(newer.length)} newer there` : "";
    const notSent = kept.length > 0 ? `, ${countText(kept.length)} not uploaded` : "";
    terminal.err(
      `${plural(added.length, "recording")} uploaded to ${cache}; ${there} ${were(there)} there${left}${notSent}.\n`,
    );
    return kept.length > 0 ? EXIT.failed : EXIT.ok;
  },
);

const teamKey: Command = {
  name: "team key",
  summary: "Make a pair of keys for a team cache.",
  synopsis: "team key",
  options: [],
  async execute(_args, terminal) {
    const { newKeyPair } = await import("../../team/team.ts");
    const { privateKey, publicKey } = newKeyPair();
    terminal.out(`${privateKey}\n${publicKey}\n`);
    terminal.err(
      "TAPEDECK_REMOTE_KEY is the first for those who upload recordings, a secret; the second, which is none, for those who only read.\n",
    );
    return EXIT.ok;
  },
};

export const team: CommandGroup = {
  name: "team",
  summary: "Share recordings through a cache of the team: status, pull, push, key.",
  actions: [teamStatus, teamPull, teamPush, teamKey],
};
