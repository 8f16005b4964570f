import type { CallEvent } from "../../core/exchange.ts";
import { countsOf } from "../session-model.ts";
import { countsText } from "../status-bar-model.ts";
import type { TestCommand } from "../tests/run-one-model.ts";
import { problemText } from "./miss-problems-model.ts";

const DIM = "\u001b[2m";
const RED = "\u001b[31m";
const YELLOW = "\u001b[33m";
const GREEN = "\u001b[32m";
const PLAIN = "\u001b[0m";

/** What stands above a test's own output: the mode and the command, as it could be typed. */
export function runHeader(what: string, { command, args, cwd }: TestCommand): string {
  return `${DIM}${what}\n${cwd}> ${[command, ...args].map(shellWord).join(" ")}${PLAIN}\n\n`;
}

/** What stands below it: counts, what is missing, and why an answer was not kept. */
export function runFooter(events: readonly CallEvent[], code: number | undefined): string {
  const counts = countsOf(events);
  const colour = code === 0 && counts.missed === 0 ? GREEN : RED;
  const ended = code === undefined ? "stopped" : code === 0 ? "passed" : `failed with exit code ${code}`;
  const lines = [`${colour}The test ${ended}${PLAIN} · ${countsText(counts) || "no calls"}`];
  if (events.length === 0) {
    lines.push(
      "No call reached Tapedeck: the test made none, answers them itself, or its client takes its address from elsewhere.",
    );
  }
  for (const { miss, reason, outcome } of events) {
    if (miss) lines.push(`${RED}✘${PLAIN} ${problemText(miss)}`);
    else if (reason !== undefined) lines.push(`${outcome === "refused" ? RED : YELLOW}!${PLAIN} ${reason}`);
  }
  return `\n${lines.join("\n")}\n`;
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
