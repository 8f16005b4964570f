import type { Arguments } from "../command.ts";
import { wrongUsage } from "../../core/errors.ts";
import { remoteOptionsIn, type RemoteOptions } from "../../team/remote-variables.ts";
import type { RemoteSettings } from "../../team/settings.ts";
import type { OptionHelp } from "./arguments.ts";
import type { Terminal } from "../terminal.ts";

export const CACHE_HELP: OptionHelp[number] = [
  "--remote ADDRESS",
  "a cache that a team shares: a folder, redis:// or s3:// (docs/team.md)",
];

export const REMOTE_HELP: OptionHelp = [
  CACHE_HELP,
  ["--remote-write", "upload new recordings, with their prompts and answers; needs the private key"],
  ["--no-remote", "no team cache, whatever TAPEDECK_REMOTE says"],
];

/** Options of commands about a team cache that their help leaves out. */
export const UNLISTED_REMOTE_HELP: OptionHelp = REMOTE_HELP.slice(1);

/**
 * Reads which team cache the command line or the environment names; undefined if none. Then nothing of it is loaded.
 * @throws TapedeckError `tapedeck_usage`
 */
export async function readRemote(args: Arguments, { env }: Terminal): Promise<RemoteSettings | undefined> {
  const options = readOptions(args, env);
  if (options === undefined) return undefined;
  const { readRemoteSettings } = await import("../../team/team.ts");
  return readRemoteSettings(options, env);
}

/** As `readRemote`, for a command that is about a team cache. @throws TapedeckError `tapedeck_usage` */
export async function needRemote(args: Arguments, terminal: Terminal): Promise<RemoteSettings> {
  const settings = await readRemote(args, terminal);
  if (settings !== undefined) return settings;
  throw wrongUsage(
    "No team cache is named.",
    "Name it with --remote ADDRESS or TAPEDECK_REMOTE; see docs/team.md.",
  );
}

function readOptions(args: Arguments, env: Terminal["env"]): RemoteOptions | undefined {
  if (args.has("no-remote")) {
    if (args.has("remote"))
      throw wrongUsage("--remote and --no-remote exclude each other.", "Leave one out.");
    return undefined;
  }
  const [named, second] = new Set(args.values("remote"));
  if (second !== undefined)
    throw wrongUsage("Two team caches are named, and there is one at a time.", "Give --remote once.");
  const inEnvironment = remoteOptionsIn(env);
  const address = named ?? inEnvironment.address ?? "";
  if (address !== "")
    return { ...inEnvironment, address, writes: inEnvironment.writes || args.has("remote-write") };
  if (args.has("remote-write"))
    throw wrongUsage(
      "--remote-write names no team cache to write to.",
      "Add --remote ADDRESS, or set TAPEDECK_REMOTE.",
    );
  return undefined;
}
