// A machine of a team, as a process of its own: node machine.mjs '{…}'. Makes its calls and says as JSON what it was answered.
import process from "node:process";
import type { CallEvent, Mode } from "../../src/core/call.ts";
import { openDeck } from "../../src/deck/deck.ts";
import { readRemoteSettings } from "../../src/team/settings.ts";
import type { SaidOfRemote } from "../../src/team/said.ts";

export interface MachineArgs {
  readonly dir: string;
  readonly mode: Mode;
  readonly upstream: string;
  readonly said: SaidOfRemote;
  readonly calls: number;
  /** The first of its calls: others begin elsewhere. */
  readonly from: number;
  readonly atOnce: number;
}

export interface MachineTold {
  /** What each call was answered, by its number. */
  readonly answers: readonly string[];
  readonly outcomes: Readonly<Partial<Record<CallEvent["outcome"], number>>>;
  readonly warnings: readonly string[];
  /** The recordings of each key in their order, by what they say. */
  readonly takes: Readonly<Record<string, readonly string[]>>;
}

const args = JSON.parse(process.argv[2] ?? "{}") as MachineArgs;
const remote = readRemoteSettings(args.said, process.env);
const deck = openDeck({
  dir: args.dir,
  upstreams: { openai: args.upstream },
  beforePaidCall: async () => undefined,
  ...(remote && { remote }),
});
const warnings: string[] = [];
deck.onNotice(({ level, message }) => void (level === "info" || warnings.push(message)));
const outcomes: Partial<Record<CallEvent["outcome"], number>> = {};
deck.engine.onCall(({ outcome }) => (outcomes[outcome] = (outcomes[outcome] ?? 0) + 1));

const run = deck.createRun(args.mode);
const answers: string[] = Array.from({ length: args.calls }, () => "");
const left = answers.map((_, index) => (index + args.from) % args.calls);
await Promise.all(Array.from({ length: args.atOnce }, ask));
const told: MachineTold = { answers, outcomes, warnings, takes: await takesByKey() };
await deck.close();
console.log(JSON.stringify(told));

async function ask(): Promise<void> {
  const asked = deck.fetch(run);
  for (let call = left.shift(); call !== undefined; call = left.shift()) {
    const reply = await asked(`${args.upstream}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer sk-test" },
      body: chatRequest(call),
    });
    answers[call] = await reply.text();
  }
}

/** The recordings of each key in their order, by what they say. */
async function takesByKey(): Promise<Readonly<Record<string, readonly string[]>>> {
  const takes: Record<string, string[]> = {};
  for (const { key, entry } of await deck.store.list())
    (takes[key] ??= []).push(Buffer.from((await deck.store.read(entry)).reply.body).toString());
  return takes;
}

function chatRequest(call: number): string {
  return JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: `call ${call}` }] });
}
