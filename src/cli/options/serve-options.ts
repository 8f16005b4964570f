import type { Arguments } from "../command.ts";
import { resolve } from "node:path";
import type { Limits } from "../../core/answer/budget/limits.ts";
import type { ContextLimits, PlannedFault } from "../../core/call/mocks.ts";
import { contextInShort } from "../../core/config/read-config.ts";
import { faultsInShort } from "../../core/config/read-faults.ts";
import { wrongUsage } from "../../core/base/errors.ts";
import { canLeaveMachine, type Mode, modeFrom, MODES } from "../../core/call/call.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { isToken } from "../../server/guard/guard.ts";
import { type OptionHelp, readUpstreams } from "./arguments.ts";
import { DEFAULT_DIR, readDir, type NamedDir } from "./dir.ts";
import { PRICES_HELP } from "./read-options.ts";
import type { Terminal } from "../terminal.ts";
import { remoteOptionsIn, type RemoteOptions } from "../../team/remote-variables.ts";
import type { RemoteSettings } from "../../team/settings.ts";

/** What `serve` and `run` were asked for, checked as far as that goes without doing anything. */
export interface ServeOptions extends NamedDir {
  readonly mode: Mode;
  /** 0 for a free one. */
  readonly port: number;
  readonly token?: string;
  /** The imported cassette that answers. */
  readonly cassette?: string;
  readonly upstreams: Readonly<Record<string, string>>;
  readonly logsJson: boolean;
  readonly timing: "none" | "recorded";
  readonly defaultReply?: string;
  /** Absolute. */
  readonly script?: string;
  /** Faults in short, or the absolute path of a file with them. */
  readonly chaos?: { readonly faults: readonly PlannedFault[] } | { readonly path: string };
  readonly context?: ContextLimits;
  /** Whether errors are recorded; undefined leaves it to the project. */
  readonly recordErrors?: boolean;
  /** Whether processes are led here through a proxy, too. */
  readonly proxy: boolean;
  readonly limits: Limits;
  /** A file of the user's own prices, absolute. */
  readonly prices?: string;
}

/** For who takes a cassette folder and nothing else. */
export const DIR_ONLY_HELP = ["--dir D", `the cassette folder (default ${DEFAULT_DIR})`] as const;

export const CACHE_HELP: OptionHelp[number] = [
  "--remote ADDRESS",
  "a cache that a team shares: a folder, redis:// or s3:// (docs/team.md)",
];

export const REMOTE_HELP: OptionHelp = [
  CACHE_HELP,
  ["--remote-write", "upload new recordings, with their prompts and answers; needs the private key"],
  ["--no-remote", "no team cache, even if TAPEDECK_REMOTE is set"],
];

export const SERVE_OPTION_HELP: OptionHelp = [
  ["--mode M", `how calls are answered: ${MODES.join(", ")} (default strict)`],
  DIR_ONLY_HELP,
  ["--port N", "the port on 127.0.0.1 (default: a free one)"],
  ["--token T", "the address's secret segment (default: a random one)"],
  [
    "--upstream PROVIDER=URL",
    "where a provider really is; https, or http to a loopback or private address; repeatable",
  ],
  [
    "--cassette NAME",
    "the imported cassette that answers where several have the call; the header x-tapedeck-cassette names it for one call",
  ],
  ["--log json", "one JSON line a call on standard output"],
  ["--timing recorded", "streams at the pace they were recorded at (default none: at once)"],
  ["--default TEXT", "what lenient mode answers where nothing is recorded"],
  ["--script FILE", "a list of replies that lenient mode answers with, one a call (JSON, or JSON lines)"],
  ["--chaos FAULTS", "what goes wrong on purpose, call by call: 429,ok,cut:10; or a file of faults"],
  ["--context LIMITS", "calls over them fail, in tokens: input:20000,window:128000,keep:5 (docs/mocks.md)"],
  ["--record-errors", "answers with status 400 and above are recorded, too"],
  ["--proxy", "an HTTPS proxy for clients that no variable leads here, in any language (docs/providers.md)"],
  ["--max-calls N", "how many calls may be sent (default: no limit)"],
  ["--max-tokens N", "how many tokens they may take, input and output"],
  ["--max-cost USD", "how much they may cost, by list prices (docs/runs.md)"],
  PRICES_HELP,
  ...REMOTE_HELP,
];

const isLenient = (mode: Mode): boolean => mode === "lenient";
const isFree = (mode: Mode): boolean => !canLeaveMachine(mode);
const ADD_LENIENT = "Add --mode lenient, or leave it out.";

/** Options that are of use in some modes, and what to do about them in others. */
const ONLY_SOMETIMES: readonly (readonly [option: string, isOfUse: (mode: Mode) => boolean, hint: string])[] =
  [
    ["default", isLenient, ADD_LENIENT],
    ["script", isLenient, ADD_LENIENT],
    ["chaos", isFree, "Faults are made in strict and lenient mode, where no call is paid."],
    ["context", isFree, "It looks at calls in strict and lenient mode; --max-tokens limits what is paid."],
  ];

/** @throws TapedeckError `tapedeck_usage` for a value that its option does not take. */
export function readServeOptions(args: Arguments, terminal: Terminal): ServeOptions {
  const mode = readMode(args.value("mode") ?? "strict");
  const token = args.value("token");
  if (token !== undefined && !isToken(token)) {
    throw wrongUsage(
      `"${token}" cannot be a token.`,
      "A token is one segment of an address: letters, digits, - . _ and ~, at most 256 of them.",
    );
  }
  for (const [option, isOfUse, hint] of ONLY_SOMETIMES)
    if (args.has(option) && !isOfUse(mode))
      throw wrongUsage(`--${option} is of no use in ${mode} mode.`, hint);
  const [defaultReply, script] = [args.value("default"), args.value("script")];
  const [chaos, context] = [args.value("chaos"), args.value("context")];
  if (script !== undefined && defaultReply !== undefined)
    throw wrongUsage("--script and --default cannot be combined.", "A script that runs dry is an error.");
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
    ...(chaos !== undefined && { chaos: readChaos(chaos, terminal) }),
    ...(context !== undefined && { context: contextInShort(context) }),
    ...(args.has("record-errors") && { recordErrors: true }),
    proxy: args.has("proxy"),
    ...readBudget(args, terminal),
  };
}

/** A file where it ends like one. */
function readChaos(text: string, { cwd }: Terminal): NonNullable<ServeOptions["chaos"]> {
  return /\.jsonl?$/.test(text) ? { path: resolve(cwd, text) } : { faults: faultsInShort(text) };
}

function readBudget(args: Arguments, { cwd }: Terminal): Pick<ServeOptions, "limits" | "prices"> {
  const calls = readLimit("--max-calls", args.value("max-calls"), /^\d{1,15}$/);
  const tokens = readLimit("--max-tokens", args.value("max-tokens"), /^\d{1,15}$/);
  const costUsd = readLimit("--max-cost", args.value("max-cost"), /^\d{1,9}(?:\.\d{1,9})?$/);
  const prices = args.value("prices");
  return {
    limits: pickDefined({ calls, tokens, costUsd }),
    ...(prices !== undefined && { prices: resolve(cwd, prices) }),
  };
}

function readLimit(option: string, text: string | undefined, form: RegExp): number | undefined {
  if (text === undefined) return undefined;
  if (form.test(text)) return Number(text);
  const example = option === "--max-cost" ? `${option} 2.50 (US dollars)` : `${option} 100`;
  throw wrongUsage(
    `"${text}" is nothing that ${option} takes.`,
    `Give a number that is not negative, e.g. ${example}.`,
  );
}

function readMode(text: string): Mode {
  const mode = modeFrom(text);
  if (mode === undefined)
    throw wrongUsage(`There is no mode "${text}".`, `The modes are ${MODES.join(", ")}.`);
  return mode;
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535))
    throw wrongUsage(
      `"${text}" is not a port.`,
      "Give a number up to 65535, or leave --port out for a free one.",
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
    throw wrongUsage(`"${text}" is nothing that ${option} takes.`, `It takes ${choices.join(" or ")}.`);
  }
  return choice;
}

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
      throw wrongUsage("--remote and --no-remote cannot be combined.", "Leave one out.");
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
