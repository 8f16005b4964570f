import { joinSentences, localize } from "../core/base/localize.ts";
import { realpathSync } from "node:fs";
import { explain, isTapedeckError, createTapedeckError } from "../core/base/errors.ts";
import { canLeaveMachine, type Mode } from "../core/call/call.ts";
import { isAmongHosts, type Destination } from "../core/protocol/origin.ts";
import { suggestProvider } from "../core/protocol/near-provider.ts";
import { readOwnUpstreams, type OwnUpstreams } from "../core/protocol/own-upstreams.ts";
import { readScript } from "../core/config/read-script.ts";
import type { PlannedFault, ScriptedReply } from "../core/call/mocks.ts";
import { readFaults } from "../core/config/read-faults.ts";
import { pickDefined } from "../core/base/pick-defined.ts";
import type { Deck } from "../deck/deck.ts";
import type { DeckOptions } from "../deck/deck-options.ts";
import type { RemoteSettings } from "../team/settings.ts";
import { LOCAL_HOSTS, createNoProxyVariables } from "../hooks/list-variable.ts";
import type { ServedProxy } from "../server/proxy/serve-proxy.ts";
import type { ReplayServer } from "../server/server.ts";
import type { Admission } from "../server/guard/guard.ts";
import type { GuardNote, LeftNote } from "../server/guard-notes.ts";
import { getAddresses } from "../server/environment.ts";
import { formatCallLine } from "./report/call-line.ts";
import { formatFoldersBelow, inspectFolder } from "./options/dir.ts";
import { readPricesFile, formatPath, readTextFile, openDeckAsAsked } from "./options/read-options.ts";
import type { ServeOptions } from "./options/serve-options.ts";
import { printMessage, type Terminal } from "./terminal.ts";
import { makeTemporaryFolder } from "../storage/local/temporary-folder.ts";
import { createRunNotes, type RunNotes } from "./run-record.ts";
import type { OwnPrices } from "../core/view/prices/own-prices.ts";

/** A deck that serves one run on a port, from the start of a command to its end. */
export interface Serving {
  readonly deck: Deck;
  readonly admission: Admission;
  /** Variables that point the clients of all known providers to the server and bypass proxies. */
  readonly env: Readonly<Record<string, string>>;
  /** Folders to which the files of tests are relative. */
  readonly roots: readonly string[];
  /**
   * Releases the port and saves which recordings were used and made. `commandCode`: exit code of the command that was
   * served, if any.
   */
  stop(commandCode?: number): Promise<void>;
  /**
   * Reports that facts about the run could not be saved. Such facts are a convenience, so nothing fails, and only the
   * first report is printed: the others have the same cause.
   */
  readonly reportUnsaved: (error: unknown) => void;
}

const WRITING_MODES: ReadonlySet<Mode> = new Set(["record", "refresh"]);

/** The options of a server, and the settings of its team cache, if any. */
interface ServingOptions extends ServeOptions {
  readonly remote?: RemoteSettings | undefined;
  /** Whether the run blocks the network, except for the hosts that the project allows. */
  readonly blocksNetwork?: boolean;
  /** The command that records the missing calls, if it is not `tapedeck run`. */
  readonly recordCommand?: string | undefined;
}

/** @throws TapedeckError if the folder or the port cannot be used; `tapedeck_usage` means wrong usage. */
export async function startServing(
  options: ServingOptions,
  terminal: Terminal,
  onGuard: (note: GuardNote) => void = () => {},
): Promise<Serving> {
  const { cassette, recordCommand } = options;
  const startedAt = terminal.now();
  const folder = await inspectFolder(options.dir, { writes: WRITING_MODES.has(options.mode) });
  const files = await filesOf(options, terminal.cwd);
  const own = readOwnUpstreams(terminal.env);
  const deck = openDeckFor(options, { env: terminal.env, ownUpstreams: own, ...files });
  printUpstreams(deck, { ...options, own }, terminal);
  if (folder === "absent")
    terminal.err(`${joinSentences(absentText(options), formatFoldersBelow(terminal.cwd))}\n`);
  else if (options.isAbove) terminal.err(localize("The recordings are in {0}.\n", options.shownDir));
  const reportUnsaved = createUnsavedReporter(terminal);
  const saveNotes = takeNotes(deck, startedAt, { terminal, reportUnsaved });
  if (options.logsJson) deck.engine.onCall((event) => terminal.out(`${formatCallLine(event)}\n`));
  deck.onNotice(({ level, message }) => {
    if (level !== "info") printMessage(terminal, level, message);
  });
  await deck.project.reload();
  const roots = [...new Set([options.project, realPath(options.project)])];
  const isBlocked = (destination: Destination): boolean =>
    options.blocksNetwork === true && !isAmongHosts(readAllowedHosts(deck), destination);
  const server = await listenOn(deck, { port: options.port, roots, onGuard, isBlocked });
  const admission = server.admit(
    { ...deck.createRun(options.mode), ...pickDefined({ cassette, recordCommand }) },
    options.token,
  );
  const proxied =
    options.proxy && (await proxyFor(server, admission, { deck, terminal, isBlocked, onGuard }));
  return {
    deck,
    admission,
    env: {
      ...getAddresses(admission.url, deck.providers),
      ...(proxied ? proxied.envFor(admission.token) : createNoProxyVariables(terminal.env)),
    },
    roots,
    async stop(commandCode) {
      if (proxied) await proxied.close();
      await deck.close();
      await saveNotes(commandCode);
    },
    reportUnsaved,
  };
}

function createUnsavedReporter(terminal: Terminal): Serving["reportUnsaved"] {
  let isReported = false;
  return (error) => {
    if (!isReported)
      printMessage(terminal, "warning", localize("This run could not be saved: {0}", explain(error)));
    isReported = true;
  };
}

/** Notes which recordings the calls use and make. Returns the function that saves the notes. */
function takeNotes(
  deck: Deck,
  startedAt: number,
  { terminal, reportUnsaved }: Pick<Serving, "reportUnsaved"> & { readonly terminal: Terminal },
): (commandCode?: number) => Promise<void> {
  let notes: RunNotes | undefined;
  deck.engine.onCall((event) => {
    notes ??= createRunNotes(startedAt);
    notes.note(event);
  });
  return async (commandCode) => {
    const broken = await notes?.save(deck.dir, commandCode).catch(reportUnsaved);
    if (typeof broken === "string") printMessage(terminal, "warning", broken);
  };
}

/** @throws TapedeckError if the port cannot be used */
async function listenOn(deck: Deck, options: Parameters<Deck["listen"]>[0]): Promise<ReplayServer> {
  try {
    return await deck.listen(options);
  } catch (error) {
    if (!isTapedeckError(error)) throw error;
    // Not `tapedeck_usage`: the command line is correct, but the machine refuses the port.
    const hint = localize("Choose another port with --port, or remove --port to use a free port.");
    throw createTapedeckError("tapedeck_refused", error.message, { hint, cause: error });
  }
}

/** Returns the hosts that tests may reach while the network is blocked. */
export function readAllowedHosts({ project }: Deck): readonly string[] {
  return project.current.config.allowHosts ?? [];
}

/** Starts the proxy of a run. Its module is loaded only for runs that use a proxy. */
async function proxyFor(
  { port }: ReplayServer,
  { token, run }: Admission,
  {
    deck: { providers },
    terminal,
    isBlocked,
    onGuard,
  }: {
    readonly deck: Deck;
    readonly terminal: Terminal;
    readonly isBlocked: (destination: Destination) => boolean;
    readonly onGuard: (note: GuardNote) => void;
  },
): Promise<ServedProxy> {
  const { serveProxy } = await import("../server/proxy/serve-proxy.ts");
  const onNotice = (message: string): void => printMessage(terminal, "warning", message);
  const deck = { port: () => port, providers: () => providers };
  const around = { base: terminal.env, direct: LOCAL_HOSTS, makeFolder: makeTemporaryFolder };
  const onLeft = (left: LeftNote): void => {
    if (left.isRefused || !canLeaveMachine(run.mode)) onGuard({ kind: "left", run, ...left });
  };
  return serveProxy({ ...deck, token, onNotice, onLeft, isBlocked, ...around });
}

/** Prints where calls are forwarded when the user's own variable for an address now points to this server. */
function printOwnUpstreams(
  { upstreams, besides, unusable }: OwnUpstreams,
  { upstreams: named }: ServeOptions,
  terminal: Terminal,
): void {
  const isSaid = ({ provider }: { readonly provider: string }): boolean => !Object.hasOwn(named, provider);
  for (const { provider, variable, address } of upstreams.filter(isSaid))
    terminal.err(
      localize("{0} calls are forwarded to {1}, because of your {2}.\n", provider, address, variable),
    );
  for (const { provider, variable, address } of besides.filter(isSaid))
    terminal.err(
      localize("{0} calls to {1} are forwarded to it, because of your {2}.\n", provider, address, variable),
    );
  for (const { provider, problem } of unusable.filter(isSaid))
    printMessage(terminal, "warning", localize("{0} Until then, {1} calls are not sent.", problem, provider));
}

/** Warns about names in `--upstream` that resemble a known provider. */
export function printNearProviders(upstreams: ServeOptions["upstreams"], terminal: Terminal): void {
  for (const text of Object.keys(upstreams).map(suggestProvider))
    if (text !== undefined) printMessage(terminal, "warning", text);
}

/** Prints where calls may be sent. */
function printUpstreams(
  deck: Deck,
  { own, ...options }: ServeOptions & { readonly own: OwnUpstreams },
  terminal: Terminal,
): void {
  printNearProviders(options.upstreams, terminal);
  if (canLeaveMachine(options.mode)) printOwnUpstreams(own, options, terminal);
  for (const { problem } of own.unusableBesides)
    printMessage(
      terminal,
      "warning",
      localize("{0} Until then, clients that read it bypass Tapedeck.", problem),
    );
  printTeam(deck, options.mode, terminal);
}

function printTeam({ team }: Deck, mode: Mode, terminal: Terminal): void {
  if (team?.name === undefined) return;
  terminal.err(
    localize("Calls that are not recorded here are looked up in the team cache {0}.\n", team.name),
  );
  if (team.writes && WRITING_MODES.has(mode))
    terminal.err(localize("New recordings, with prompts and responses, are uploaded to it.\n"));
}

async function filesOf(
  { script, chaos, prices }: ServeOptions,
  cwd: string,
): Promise<Pick<DeckOptions, "script" | "faults"> & { readonly prices?: OwnPrices }> {
  return {
    ...(script !== undefined && {
      script: readScript(await readTextFile(script, { cwd, what: "script" }), formatPath(script, cwd)),
    }),
    ...(chaos !== undefined && { faults: await faultsAt(chaos, cwd) }),
    ...(prices !== undefined && { prices: await readPricesFile(prices, cwd) }),
  };
}

async function faultsAt(
  chaos: NonNullable<ServeOptions["chaos"]>,
  cwd: string,
): Promise<readonly PlannedFault[]> {
  if ("faults" in chaos) return chaos.faults;
  const { path } = chaos;
  return readFaults(await readTextFile(path, { cwd, what: "chaos" }), formatPath(path, cwd));
}

function openDeckFor(
  options: ServingOptions,
  given: Pick<DeckOptions, "env"> & {
    readonly ownUpstreams: OwnUpstreams;
    readonly script?: readonly ScriptedReply[];
    readonly faults?: readonly PlannedFault[];
    readonly prices?: OwnPrices;
  },
): Deck {
  const { dir, mode, upstreams, timing, defaultReply, recordErrors, keepChain, limits, remote } = options;
  return openDeckAsAsked({
    dir,
    upstreams,
    timing,
    ...pickDefined({ defaultReply, recordErrors, keepChain }),
    ...given,
    // Live mode neither looks up nor stores recordings.
    ...(remote && mode !== "live" && { remote }),
    limits,
    // The command names the mode explicitly, so paid calls need no confirmation, in CI either.
    beforePaidCall: async () => undefined,
  });
}

function absentText({ mode, shownDir }: ServeOptions): string {
  if (mode === "strict" || mode === "lenient")
    return localize(
      "The cassette folder {0} does not exist yet, so there are no recordings. Record mode creates it.",
      shownDir,
    );
  return mode === "live"
    ? localize("The cassette folder {0} does not exist yet. Live mode does not create it.", shownDir)
    : localize("The cassette folder {0} does not exist yet. The first recording creates it.", shownDir);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
