import { localize, getProgramName } from "../../core/base/localize.ts";
import { findProxyVariable } from "../../hooks/list-variable.ts";
import { readArguments, createUsageError } from "../options/arguments.ts";
import { EXIT, type Command, type Arguments } from "../command.ts";
import { isDocument, getReportHelp, readWantedReports, writeReports } from "../report/reports.ts";
import {
  createRunEvent,
  type RunEvent,
  buildReport,
  type RunReport,
  followTeam,
} from "../report/run-report.ts";
import { createRunObserver, detectTestRunner } from "../../server/run-observer.ts";
import { isCi } from "../../core/answer/budget/limits.ts";
import { completeRun } from "../../deck/complete-calls.ts";
import { rememberRun } from "../run-record.ts";
import { formatReport } from "../report/run-report-text.ts";
import { readRemote, readServeOptions, serveOptionHelp } from "../options/serve-options.ts";
import { quote } from "../program-name.ts";
import { recallCommand, rememberCommand } from "../last-command.ts";
import { offerGitSetup } from "../git/set-up.ts";
import { planWithAnotherRun, keepMissedRequests, offerRules } from "../propose-rules.ts";
import { runWatched, type WatchedCommand } from "../run-watched.ts";
import { startServing, type Serving } from "../serving.ts";
import { printMessage, type Terminal } from "../terminal.ts";
import { explain, handleTapedeckErrors } from "../../core/base/errors.ts";
import { acceptCandidates, createCandidate } from "../../storage/local/candidates.ts";
import type { RulesPlan } from "../../core/match/rules/plan-rules.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { localizeCount } from "../../core/base/plural.ts";
import { listKeysNotIn, type UnreachedFacts } from "../../server/why-unreached.ts";
import { listRecordedProviders } from "../../storage/folder/recorded-providers.ts";
import { listCredentialVariables } from "../../core/protocol/providers.ts";
import { canLeaveMachine } from "../../core/call/call.ts";

export const run: Command = {
  name: "run",
  get summary() {
    return localize("Run COMMAND with its LLM calls replayed or recorded, then report.");
  },
  synopsis: "run [options] -- COMMAND | run [options] --last",
  get options() {
    return [
      ...serveOptionHelp(),
      ["--last", localize("run the last command of this folder again")],
      ["--require-calls", localize("exit with 4 if no call reached Tapedeck")],
      ["--allow-unseen", localize("do not fail a strict run if calls bypassed Tapedeck")],
      ["--no-guard", localize("do not redirect connections that clients open to a provider")],
      [
        "--block-network",
        localize(
          'refuse connections to other hosts than models and "allowHosts" of tapedeck.jsonc (Node, Python, and with --proxy)',
        ),
      ],
      ["--update", localize("accept the new recordings of the run if the command succeeds")],
      ["--propose-rules", localize("propose rules under which missing calls match, and ask to add them")],
      ["--yes", localize("with --propose-rules: add the rules without asking")],
      getReportHelp(),
      ["--json", localize("same as --report json")],
    ] as const;
  },
  get unlisted() {
    return [
      ["--attach COMMAND", localize("serve the process that started this one; COMMAND records its calls")],
    ] as const;
  },
  takes: "command",
  async execute(given, terminal) {
    const { args, command } = await readRunRequest(given, terminal);
    const serveOptions = readServeOptions(args, terminal);
    const { mode, dir } = serveOptions;
    const remote = await readRemote(args, terminal);
    const reports = readWantedReports(args, serveOptions.logsJson);
    if (args.has("yes") && !args.has("propose-rules"))
      throw createUsageError("run", localize("--yes needs --propose-rules."));
    const { forgotten, recordCommand } = await remember({ args, command }, terminal);
    const options = { ...serveOptions, remote, recordCommand };
    const watched = watchedCommand(args, command);
    const observed = createRunObserver();
    const serving = await startServing({ ...options, ...watched }, terminal, (note) => observed.note(note));
    const team = followTeam(serving.deck);
    const events: RunEvent[] = [];
    serving.deck.engine.onCall((event) => events.push(createRunEvent(event)));
    const missed = args.has("propose-rules") ? keepMissedRequests(serving.deck) : undefined;
    let plan: RulesPlan | undefined;
    let commandCode = EXIT.failed as number;
    try {
      const output = reports.some(isDocument) ? "err" : "out";
      commandCode = await runWatched(watched, { serving, mode, observed, output, terminal });
      plan = await missed?.planRules();
    } finally {
      await serving.stop(commandCode);
    }
    const calls = buildReport(mode, serving.admission.requests, events, observed.whole());
    const report = { ...calls, team: team?.() };
    const expected = { requiresCalls: args.has("require-calls"), allowsUnseen: args.has("allow-unseen") };
    const exit = exitCode(report, commandCode, expected);
    const keysMissing = canLeaveMachine(mode) ? keysMissingIn(serving, terminal) : [];
    const hasPage = reports.some(({ kind }) => kind === "html");
    // A CI machine is discarded after the run.
    const isKept = events.length > 0 && (hasPage || !isCi(terminal.env));
    const passed = commandCode === 0;
    const kept = isKept ? await rememberRun(events, { mode, command, passed }, serving) : undefined;
    const record = hasPage && kept ? await completeRun(kept, serving.deck) : kept;
    printReport(report, { args, command, terminal, recordCommand, keysMissing, commandCode });
    printLine(terminal, forgotten);
    plan &&= await planWithAnotherRun({ plan, missed, watched, commandCode, options }, terminal);
    const { path } = serving.deck.project;
    if (plan) await offerRules(plan, { dir, path, isAgreed: args.has("yes"), terminal });
    printLine(terminal, await acceptRecordings(events, { dir, args, passed }));
    const codes = { command: commandCode, exit };
    const reporting = { report: { ...report, rules: plan?.rules }, codes, roots: serving.roots, record };
    const failures = await writeReports(reports, { ...reporting, ...expected }, terminal);
    for (const { message, hint } of failures) printMessage(terminal, "error", `${message} ${hint}`);
    await offerGitSetup(dir, events, terminal);
    return failures.length > 0 && exit === EXIT.ok ? EXIT.failed : exit;
  },
};

function printLine(terminal: Terminal, text: string | undefined): void {
  if (text !== undefined) terminal.err(`${text}\n`);
}

/** Saves the command for `--last`, or returns why not; and returns the command that records what it misses. */
async function remember({ args, command }: RunRequest, terminal: Terminal) {
  const forgotten = await rememberCommand({ command, options: placesIn(args) }, terminal);
  // The log of a CI machine is read on another one.
  const again = forgotten === undefined && !isCi(terminal.env) ? "--last" : "-- COMMAND";
  const recordCommand = args.value("attach") ?? `${getProgramName()} run --mode record ${again}`;
  return { forgotten, recordCommand };
}

function watchedCommand(args: Arguments, command: readonly string[]): WatchedCommand {
  return {
    command,
    guards: !args.has("no-guard"),
    blocksNetwork: args.has("block-network"),
    isAttached: args.has("attach"),
  };
}

/**
 * Returns the missing key variables of the providers that the project has recordings of. Without recordings, returns
 * "all" if no provider's key is set, and none otherwise.
 */
function keysMissingIn({ deck }: Serving, { env }: Terminal): UnreachedFacts["keysMissing"] {
  const { names } = deck.providers;
  const variablesOf = (name: string): readonly string[] => listCredentialVariables(deck.providers.get(name));
  const recorded = listRecordedProviders(deck.dir).filter((name) => names.includes(name));
  if (recorded.length > 0) return listKeysNotIn(env, recorded.map(variablesOf));
  const hasAny = names.some((name) => variablesOf(name).some((variable) => (env[variable] ?? "") !== ""));
  return hasAny ? [] : "all";
}

/** Prints the outcome of the calls, and how to record those that missed. */
function printReport(
  report: RunReport,
  {
    args,
    command,
    terminal,
    ...context
  }: RunRequest & {
    readonly terminal: Terminal;
    readonly recordCommand: string;
    readonly keysMissing: UnreachedFacts["keysMissing"];
    readonly commandCode: number;
  },
): void {
  const options = {
    ...context,
    color: terminal.color.err,
    tellsStart: !args.has("no-guard"),
    isProxied: args.has("proxy"),
    proposesRules: args.has("propose-rules"),
    runner: detectTestRunner(command.join(" ")),
    isAttached: args.has("attach"),
    ...pickDefined({ proxy: findProxyVariable(terminal.env) }),
  };
  terminal.err(formatReport(report, options));
}

interface RunRequest {
  readonly args: Arguments;
  readonly command: readonly string[];
}

/** Reads what to run. With `--last`, saved options precede those given now, so that the latter take precedence. */
async function readRunRequest(args: Arguments, terminal: Terminal): Promise<RunRequest> {
  const { behind, positionals, before } = args;
  const [stray] = positionals;
  if (stray !== undefined)
    throw createUsageError("run", localize('"{0}" is before --. Write the command to run after it.', stray));
  if (args.has("block-network") && args.has("no-guard"))
    throw createUsageError(
      "run",
      localize("--block-network and --no-guard cannot be combined, because the guard blocks connections."),
    );
  if (!args.has("last")) {
    if ((behind[0] ?? "") === "")
      throw createUsageError("run", localize("There is no command to run. Write it after --."));
    return { args, command: behind };
  }
  if (behind.length > 0)
    throw createUsageError("run", localize("--last and a command after -- cannot be combined."));
  const { options, command } = await recallCommand(terminal);
  terminal.err(localize("Running: {0}\n", command.map(quote).join(" ")));
  return { args: readArguments(run, [...options, ...before]), command };
}

function exitCode(
  { mode, counts, requests, findings, observed }: RunReport,
  commandCode: number,
  { requiresCalls, allowsUnseen }: { readonly requiresCalls: boolean; readonly allowsUnseen: boolean },
): number {
  if (commandCode !== 0) return commandCode;
  if (findings.some(({ failsRun }) => failsRun)) return EXIT.failed;
  if (mode === "strict" && counts.miss > 0) return EXIT.missed;
  // What Tapedeck itself refused was not unseen.
  const isUnanswered = observed.passed.some(({ fix }) => fix !== undefined || !allowsUnseen);
  if (mode === "strict" && isUnanswered) return EXIT.missed;
  return requiresCalls && requests === 0 ? EXIT.noCalls : EXIT.ok;
}

/** Returns the options that apply to a command in every mode: where its calls are recorded and sent. */
function placesIn(args: Arguments): readonly string[] {
  const dir = args.value("dir");
  return [
    ...(dir === undefined ? [] : ["--dir", dir]),
    ...args.values("cassette").flatMap((cassette) => ["--cassette", cassette]),
    ...args.values("upstream").flatMap((upstream) => ["--upstream", upstream]),
    ...["no-guard", "block-network", "proxy", "record-errors"]
      .filter((name) => args.has(name))
      .map((name) => `--${name}`),
  ];
}

/**
 * Returns the line to print about the new recordings of a run, which the editor shows until you accept them. With
 * --update, recordings that the run made or replayed are accepted. If the command failed, its recordings may be wrong,
 * so they stay new.
 */
async function acceptRecordings(
  events: readonly RunEvent[],
  { dir, args, passed }: { readonly dir: string; readonly args: Arguments; readonly passed: boolean },
): Promise<string | undefined> {
  const accepts = args.has("update");
  const used = [...new Set(events.flatMap(({ entry }) => entry ?? []))];
  if (accepts && passed && used.length > 0) {
    const accepted = await acceptCandidates(dir, used).catch(handleTapedeckErrors(explain));
    if (typeof accepted === "string") return accepted;
    return accepted.length === 0
      ? undefined
      : localizeCount(accepted.length, "{0} new recording accepted.", "{0} new recordings accepted.");
  }
  const made = new Set(events.flatMap((event) => createCandidate(event)?.entry ?? [])).size;
  if (made === 0) return undefined;
  return accepts
    ? localizeCount(
        made,
        "{0} new recording was not accepted, because the command failed.",
        "{0} new recordings were not accepted, because the command failed.",
      )
    : localizeCount(
        made,
        "{0} new recording. Review and commit it, or accept it with {1}.",
        "{0} new recordings. Review and commit them, or accept them with {1}.",
        args.has("attach") ? `\`${getProgramName()} run --update --last\`` : "--update",
      );
}
