import { describeOutcome } from "../../core/view/run-record/run-record.ts";
import { padColumns } from "../../core/base/columns.ts";
import { localize, joinSentences } from "../../core/base/localize.ts";
import { formatSpending } from "../../core/call/spending.ts";
import type { CallEvent, Outcome } from "../../core/call/call.ts";
import { EXIT, type Command } from "../command.ts";
import { isCi } from "../../core/answer/budget/limits.ts";
import { rememberRun } from "../run-record.ts";
import { formatMissLines } from "../../core/view/miss.ts";
import { readRemote, readServeOptions, serveOptionHelp } from "../options/serve-options.ts";
import { followTeam, formatTeamLines, createRunEvent, type RunEvent } from "../report/run-report.ts";
import { startServing } from "../serving.ts";
import { paint, type Color, type Terminal } from "../terminal.ts";
import { writeVisibleJson, makeVisibleLine } from "../../core/base/visible.ts";

/** Maximum calls of a run to hold in memory and to save, because a server may run for weeks. */
const MOST_CALLS = 5_000;

export const serve: Command = {
  name: "serve",
  get summary() {
    return localize("Replay or record LLM calls until SIGINT or SIGTERM.");
  },
  synopsis: "serve [options]",
  get options() {
    return serveOptionHelp();
  },
  async execute(args, terminal) {
    const options = readServeOptions(args, terminal);
    const remote = await readRemote(args, terminal);
    const ended = endSignal(terminal);
    const serving = await startServing({ ...options, remote }, terminal);
    const { admission, env, deck } = serving;
    const team = followTeam(deck);
    let hasFailed = false;
    deck.engine.onCall(({ failsRun, lost }) => (hasFailed ||= failsRun === true || lost !== undefined));
    const events: RunEvent[] = [];
    let left = 0;
    deck.engine.onCall((event) => {
      if (events.length < MOST_CALLS) events.push(createRunEvent(event));
      else left += 1;
    });
    if (!options.logsJson) deck.engine.onCall((event) => terminal.err(callText(event, terminal)));
    terminal.err(
      localize(
        "Serving {0} in {1} mode on 127.0.0.1. Press Ctrl+C to stop.\n",
        options.shownDir,
        options.mode,
      ),
    );
    const ready = { event: "ready", url: admission.url, pid: process.pid, mode: options.mode, env };
    terminal.out(`${writeVisibleJson(ready)}\n`);
    await ended;
    await serving.stop();
    const ran = { mode: options.mode, command: ["tapedeck", "serve"], ...(left > 0 && { left }) };
    if (!isCi(terminal.env)) await rememberRun(events, ran, serving);
    if (team !== undefined) for (const line of formatTeamLines(team())) terminal.err(`${line}\n`);
    return hasFailed ? EXIT.failed : EXIT.ok;
  },
};

/** Resolves at the first termination signal. A second one has its default effect and ends the process. */
function endSignal({ signals: source }: Terminal): Promise<void> {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  return new Promise((resolve) => {
    const end = (): void => {
      for (const signal of signals) source.off(signal, end);
      resolve();
    };
    for (const signal of signals) source.on(signal, end);
  });
}

const COLORS: Record<Outcome, Color> = {
  replayed: "green",
  recorded: "yellow",
  forwarded: "yellow",
  defaulted: "yellow",
  miss: "red",
  refused: "red",
};

const OUTCOME_WIDTH = "forwarded".length;

/** Formats a call for people: its outcome, its model and label, and the reason if it was missed or refused. */
function callText(event: CallEvent, terminal: Terminal): string {
  const { outcome, provider, operation, model, label, ms, reason, hint, miss } = event;
  const painted = paint(
    terminal.color.err,
    COLORS[outcome],
    padColumns(describeOutcome(outcome), OUTCOME_WIDTH),
  );
  const lines = [
    `${painted}  ${makeVisibleLine(model ?? `${provider} ${operation}`)}  ${makeVisibleLine(label)}  ${Math.round(ms)} ms`,
  ];
  if (event.charge !== undefined && event.spent !== undefined)
    lines.push(localize("    spent so far: {0}", formatSpending(event.spent)));
  if (miss !== undefined) lines.push(`    ${formatMissLines(miss, { key: miss.key })[1]}`);
  else if (reason !== undefined) lines.push(`    ${makeVisibleLine(joinSentences(reason, hint ?? ""))}`);
  return lines.map((line) => `${line}\n`).join("");
}
