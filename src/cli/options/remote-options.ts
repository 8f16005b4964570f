import type { Arguments } from "../command.ts";
import { wrongUsage } from "../../core/errors.ts";
import { saidByEnvironment, type SaidOfRemote } from "../../team/said.ts";
import type { RemoteSettings } from "../../team/settings.ts";
import type { OptionHelp } from "./arguments.ts";
import type { Terminal } from "../terminal.ts";

export const REMOTE_HELP: OptionHelp = [
  [
    "--remote ADDRESS",
    "a cache that a team shares: a folder, redis:// or s3:// (docs/remote.md); it is only read",
  ],
  ["--remote-write", "new recordings, with their prompts and answers, are added to it"],
  [
    "--remote-scope S",
    "for runs that nobody trusts: what they write is read by no trusted one (default trusted)",
  ],
  ["--remote-encrypt", "what is added is encrypted with the team's key"],
  ["--no-remote", "no cache, whatever TAPEDECK_REMOTE says"],
];

/**
 * The cache of the command line or of the environment; undefined where there is none. Then nothing of it is loaded.
 * @throws TapedeckError `tapedeck_usage`
 */
export async function readRemote(args: Arguments, { env }: Terminal): Promise<RemoteSettings | undefined> {
  const said = saidOf(args, env);
  if (said === undefined) return undefined;
  const { readRemoteSettings } = await import("../../team/team.ts");
  return readRemoteSettings(said, env);
}

/** As `readRemote`, for a command that is of no use without. @throws TapedeckError `tapedeck_usage` */
export async function needRemote(
  args: Arguments,
  terminal: Terminal,
  more: Partial<SaidOfRemote> = {},
): Promise<RemoteSettings> {
  const said = saidOf(args, terminal.env);
  const { readRemoteSettings } = await import("../../team/team.ts");
  const settings = said && readRemoteSettings({ ...said, ...more }, terminal.env);
  if (settings !== undefined) return settings;
  throw wrongUsage(
    "No team's cache is named.",
    "Name it with --remote ADDRESS or TAPEDECK_REMOTE; see docs/remote.md.",
  );
}

function saidOf(args: Arguments, env: Terminal["env"]): SaidOfRemote | undefined {
  if (args.has("no-remote")) {
    if (args.has("remote"))
      throw wrongUsage("--remote and --no-remote exclude each other.", "Leave one out.");
    return undefined;
  }
  const [address, second] = new Set(args.values("remote"));
  if (second !== undefined)
    throw wrongUsage("Two caches are named, and there is one at a time.", "Give --remote once.");
  const said = saidByEnvironment(env);
  const all = {
    ...said,
    address: address ?? said.address,
    scope: args.value("remote-scope") ?? said.scope,
    writes: said.writes || args.has("remote-write"),
    encrypt: said.encrypt || args.has("remote-encrypt"),
  };
  const isNamed = all.address !== undefined && all.address !== "";
  if (!isNamed && args.has("remote-write"))
    throw wrongUsage(
      "--remote-write adds to no cache: none is named.",
      "Add --remote ADDRESS, or set TAPEDECK_REMOTE.",
    );
  return isNamed ? all : undefined;
}
