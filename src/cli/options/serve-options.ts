import { localize } from "../../core/base/localize.ts";
import type { Arguments } from "../command.ts";
import { resolve } from "node:path";
import type { Limits } from "../../core/answer/budget/limits.ts";
import type { PlannedFault } from "../../core/call/mocks.ts";
import { parseFaults } from "../../core/config/read-faults.ts";
import { createWrongUsage } from "../../core/base/errors.ts";
import { canLeaveMachine, expectMode, MODES, type Mode } from "../../core/call/call.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { isToken } from "../../server/guard/guard.ts";
import { type OptionHelp, readUpstreams } from "./arguments.ts";
import { DEFAULT_DIR, readDir, type NamedDir } from "./dir.ts";
import { getPricesHelp } from "./read-options.ts";
import type { Terminal } from "../terminal.ts";
import { readRemoteVariables, type RemoteOptions } from "../../team/remote-variables.ts";
import type { RemoteSettings } from "../../team/settings.ts";

/** The options of `serve` and `run`, validated as far as possible without side effects. */
export interface ServeOptions extends NamedDir {
  readonly mode: Mode;
  /** 0 selects a free port. */
  readonly port: number;
  readonly token?: string;
  /** The imported cassette to replay. */
  readonly cassette?: string;
  readonly upstreams: Readonly<Record<string, string>>;
  readonly logsJson: boolean;
  readonly timing: "none" | "recorded";
  readonly defaultReply?: string;
  /** Absolute. */
  readonly script?: string;
  /** Faults in short, or the absolute path of a file with them. */
  readonly chaos?: { readonly faults: readonly PlannedFault[] } | { readonly path: string };
  /** Whether errors are recorded; undefined leaves it to the project. */
  readonly recordErrors?: boolean;
  /** Whether ids of replayed replies are sent before their chain is recorded again. */
  readonly keepChain?: boolean;
  /** Whether processes are also routed through a proxy. */
  readonly proxy: boolean;
  readonly limits: Limits;
  /** Absolute path of a file with the user's prices. */
  readonly prices?: string;
}

export const getUnknownPricesHelp = (): OptionHelp[number] => [
  "--allow-unknown-prices",
  localize("with --max-cost: send calls of unknown price, which add nothing to the cost"),
];

/** Help for commands that accept a cassette folder but not MetaGPT's cache file. */
export const getDirOnlyHelp = () =>
  ["--dir D", localize("the cassette folder (default {0})", DEFAULT_DIR)] as const;

export const getCacheHelp = (): OptionHelp[number] => [
  "--remote ADDRESS",
  localize("the team cache: a folder, redis://, or s3:// (docs/team.md)"),
];

export const getRemoteHelp = (): OptionHelp => [
  getCacheHelp(),
  ["--remote-write", localize("upload new recordings, with prompts and responses; needs the private key")],
  ["--no-remote", localize("use no team cache, even if TAPEDECK_REMOTE is set")],
];

export const serveOptionHelp = (): OptionHelp => [
  ["--mode M", localize("how to answer calls: {0} (default strict)", MODES.join(", "))],
  getDirOnlyHelp(),
  ["--port N", localize("the port on 127.0.0.1 (default: a free one)")],
  ["--token T", localize("the secret segment of the address (default: random)")],
  [
    "--upstream PROVIDER=URL",
    localize("the address of a provider: https, or http with a loopback or private address; repeatable"),
  ],
  [
    "--cassette NAME",
    localize(
      "the imported cassette to use if several have a call; for one call, send the header x-tapedeck-cassette",
    ),
  ],
  ["--log json", localize("print one JSON line per call")],
  ["--timing recorded", localize("replay streams at their recorded pace (default none: at once)")],
  ["--default TEXT", localize("the reply of lenient mode to calls that are not recorded")],
  ["--script FILE", localize("a list of replies of lenient mode, one per call (JSON or JSON lines)")],
  ["--chaos FAULTS", localize("faults to inject, call by call: 429,ok,cut:10; or a file of faults")],
  ["--record-errors", localize("also record responses with status 400 and above")],
  ["--keep-chain", localize("send ids of replayed replies first, before recording their chain again")],
  [
    "--proxy",
    localize(
      "start an HTTPS proxy for clients without a base-URL variable, in any language (docs/providers.md)",
    ),
  ],
  ["--max-calls N", localize("maximum number of calls to send (default: no limit)")],
  ["--max-tokens N", localize("maximum number of input and output tokens")],
  ["--max-cost USD", localize("maximum cost, by list prices; calls of unknown price are refused")],
  getUnknownPricesHelp(),
  getPricesHelp(),
  ...getRemoteHelp(),
];

const isLenient = (mode: Mode): boolean => mode === "lenient";
const addLenient = (): string => localize("Add --mode lenient, or remove the option.");

/** Options that apply only in some modes, and the hint for the other modes. */
const limitedOptions = (): readonly (readonly [
  option: string,
  isOfUse: (mode: Mode) => boolean,
  hint: string,
])[] => [
  ["default", isLenient, addLenient()],
  ["script", isLenient, addLenient()],
  [
    "chaos",
    (mode) => !canLeaveMachine(mode),
    localize("Use it in strict or lenient mode, in which no call is paid."),
  ],
];

/** @throws TapedeckError `tapedeck_usage` for a value that its option does not take. */
export function readServeOptions(args: Arguments, terminal: Terminal): ServeOptions {
  const mode = expectMode(args.value("mode") ?? "strict");
  const token = args.value("token");
  if (token !== undefined && !isToken(token)) {
    throw createWrongUsage(
      localize('"{0}" is not a valid token.', token),
      localize("Use up to 256 letters, digits, and the characters - . _ ~"),
    );
  }
  for (const [option, isOfUse, hint] of limitedOptions())
    if (args.has(option) && !isOfUse(mode))
      throw createWrongUsage(localize("--{0} has no effect in {1} mode.", option, mode), hint);
  const [defaultReply, script] = [args.value("default"), args.value("script")];
  const chaos = args.value("chaos");
  if (script !== undefined && defaultReply !== undefined)
    throw createWrongUsage(
      localize("--script and --default cannot be combined."),
      localize("Remove one of them: a call fails when the script has no reply left."),
    );
  return {
    mode,
    ...readDir(args, terminal),
    port: readPort(args.value("port") ?? "0"),
    ...pickDefined({ token, cassette: args.value("cassette") }),
    upstreams: readUpstreams(args),
    logsJson: readChoice("--log", args.value("log"), ["json"]) === "json",
    timing: readChoice("--timing", args.value("timing"), ["none", "recorded"]) ?? "none",
    ...pickDefined({ defaultReply }),
    ...(script !== undefined && { script: resolve(terminal.cwd, script) }),
    // A value is a file if it ends like a file name.
    ...(chaos !== undefined && {
      chaos: /\.jsonl?$/.test(chaos)
        ? { path: resolve(terminal.cwd, chaos) }
        : { faults: parseFaults(chaos) },
    }),
    ...(args.has("record-errors") && { recordErrors: true }),
    ...(args.has("keep-chain") && { keepChain: true }),
    proxy: args.has("proxy"),
    ...readBudget(args, terminal),
  };
}

function readBudget(args: Arguments, { cwd }: Terminal): Pick<ServeOptions, "limits" | "prices"> {
  const calls = readLimit("--max-calls", args.value("max-calls"), /^\d{1,15}$/);
  const tokens = readLimit("--max-tokens", args.value("max-tokens"), /^\d{1,15}$/);
  const costUsd = readLimit("--max-cost", args.value("max-cost"), /^\d{1,9}(?:\.\d{1,9})?$/);
  const prices = args.value("prices");
  const unknownPrices = args.has("allow-unknown-prices") ? true : undefined;
  if (unknownPrices && costUsd === undefined)
    throw createWrongUsage(
      localize("--allow-unknown-prices has no effect without --max-cost."),
      localize("Add --max-cost USD, or remove the option."),
    );
  return {
    limits: pickDefined({ calls, tokens, costUsd, unknownPrices }),
    ...(prices !== undefined && { prices: resolve(cwd, prices) }),
  };
}

function readLimit(option: string, text: string | undefined, form: RegExp): number | undefined {
  if (text === undefined) return undefined;
  if (form.test(text)) return Number(text);
  const example = option === "--max-cost" ? localize("{0} 2.50 (US dollars)", option) : `${option} 100`;
  throw createWrongUsage(
    localize('{1} does not take "{0}".', text, option),
    localize("Use a number that is not negative, e.g. {0}.", example),
  );
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535))
    throw createWrongUsage(
      localize('"{0}" is not a port.', text),
      localize("Use a number up to 65535, or remove --port to use a free port."),
    );
  return port;
}

function readChoice<T extends string>(
  option: string,
  text: string | undefined,
  choices: readonly T[],
): T | undefined {
  const choice = choices.find((known) => known === text);
  if (text !== undefined && choice === undefined) {
    throw createWrongUsage(
      localize('{1} does not take "{0}".', text, option),
      localize("Use {0}.", choices.join(" or ")),
    );
  }
  return choice;
}

/** Options of commands about a team cache that their help leaves out. */
export const getUnlistedRemoteHelp = (): OptionHelp => getRemoteHelp().slice(1);

/**
 * Reads which team cache the command line or the environment names. If none, returns undefined and loads no cache code.
 * @throws TapedeckError `tapedeck_usage`
 */
export async function readRemote(args: Arguments, { env }: Terminal): Promise<RemoteSettings | undefined> {
  const options = readOptions(args, env);
  if (options === undefined) return undefined;
  const { readRemoteSettings } = await import("../../team/team.ts");
  return readRemoteSettings(options, env);
}

/** As `readRemote`, for a command that is about a team cache. @throws TapedeckError `tapedeck_usage` */
export async function requireRemote(args: Arguments, terminal: Terminal): Promise<RemoteSettings> {
  const settings = await readRemote(args, terminal);
  if (settings !== undefined) return settings;
  throw createWrongUsage(
    localize("There is no team cache."),
    localize("Set it with --remote ADDRESS or TAPEDECK_REMOTE. See docs/team.md."),
  );
}

function readOptions(args: Arguments, env: Terminal["env"]): RemoteOptions | undefined {
  if (args.has("no-remote")) {
    if (args.has("remote"))
      throw createWrongUsage(
        localize("--remote and --no-remote cannot be combined."),
        localize("Remove one of them."),
      );
    return undefined;
  }
  const [named, second] = new Set(args.values("remote"));
  if (second !== undefined)
    throw createWrongUsage(
      localize("--remote is given twice, but only one team cache can be used."),
      localize("Use --remote once."),
    );
  const inEnvironment = readRemoteVariables(env);
  const address = named ?? inEnvironment.address ?? "";
  if (address !== "")
    return { ...inEnvironment, address, writes: inEnvironment.writes || args.has("remote-write") };
  if (args.has("remote-write"))
    throw createWrongUsage(
      localize("--remote-write needs a team cache."),
      localize("Add --remote ADDRESS, or set TAPEDECK_REMOTE."),
    );
  return undefined;
}
