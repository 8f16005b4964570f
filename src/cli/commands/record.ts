import { resolve } from "node:path";
import { explain, wrongUsage } from "../../core/errors.ts";
import type { CallEvent, Run, WireHeaders } from "../../core/call.ts";
import { plural } from "../../core/plural.ts";
import type { Provider } from "../../core/protocol/protocol.ts";
import { visibleLine } from "../../core/view/visible.ts";
import type { Deck } from "../../deck/deck.ts";
import { readText } from "../../storage/folder/read-file.ts";
import { usage } from "../options/arguments.ts";
import { readRemote } from "../options/remote-options.ts";
import { readServeOptions, SERVE_OPTION_HELP } from "../options/serve-options.ts";
import { EXIT, type Command } from "../command.ts";
import { notForOthers, readList, type ListedCall } from "../missing-list.ts";
import { followTeam, teamLines } from "../report/team-report.ts";
import { startServing } from "../serving.ts";
import { tell, type Terminal } from "../terminal.ts";

const OPTIONS = /^--(?:dir|upstream|max-|prices|remote|no-remote)/;

/** Makes the calls of a list and records them: nothing of whoever missed them runs here, or sees a key. */
export const record: Command = {
  name: "record",
  summary: "Make the calls of a list that run --missing wrote, and record them. No test runs.",
  synopsis: "record FILE [--max-cost USD] [--remote ADDRESS --remote-write] [options]",
  options: SERVE_OPTION_HELP.filter(([option]) => OPTIONS.test(option)),
  unlisted: SERVE_OPTION_HELP,
  takes: "names",
  async execute(args, terminal) {
    const [file, ...more] = args.positionals;
    if (file === undefined || more.length > 0)
      throw usage("record", "record takes one list of missing calls.");
    const calls = readList(await readListText(resolve(terminal.cwd, file), file), file);
    const options = { ...readServeOptions(args, terminal), mode: "record" as const };
    const serving = await startServing({ ...options, remote: await readRemote(args, terminal) }, terminal);
    const team = followTeam(serving.deck);
    const failed: string[] = [];
    try {
      for (const call of calls) expectForOthers(call, serving.deck);
      const run = serving.deck.createRun("record");
      for (const call of calls) {
        const why = await recordCall(call, run, { deck: serving.deck, terminal });
        if (why !== undefined) failed.push(`${callName(call)}: ${why}`);
      }
    } finally {
      await serving.stop();
    }
    for (const why of failed) tell(terminal, "error", why);
    if (team !== undefined) for (const line of teamLines(team())) terminal.err(`${line}\n`);
    terminal.err(`${plural(calls.length - failed.length, "call")} of ${calls.length} recorded.\n`);
    return failed.length > 0 ? EXIT.failed : EXIT.ok;
  },
};

async function readListText(path: string, shown: string): Promise<string> {
  try {
    return await readText(path);
  } catch (error) {
    throw wrongUsage(
      `The list ${shown} cannot be read: ${explain(error)}`,
      "Make one with tapedeck run --missing FILE.",
    );
  }
}

/** What asks a model and leaves nothing behind. */
const ASKING = new Set(
  [
    "chat.completions completions responses embeddings moderations",
    "messages messages.count_tokens",
    "generateContent streamGenerateContent countTokens embedContent batchEmbedContents",
    "converse converse-stream chat chat.v1 generate embed rerank fim.completions",
  ].flatMap((names) => names.split(" ")),
);

/** @throws TapedeckError before any call is made: one of them is none for others. */
function expectForOthers({ provider, method, path, headers }: ListedCall, { providers }: Deck): void {
  const operation = providers.protocolFor({ provider, method, path, headers })?.protocol.operation;
  if (method !== "POST" || operation === undefined || !ASKING.has(operation))
    throw notForOthers(operation ?? method, provider);
}

/** Why it was not recorded, where it was not. */
async function recordCall(
  call: ListedCall,
  run: Run,
  { deck, terminal }: { readonly deck: Deck; readonly terminal: Terminal },
): Promise<string | undefined> {
  const { label: _, model: __, ...asked } = call;
  const ended = new Promise<CallEvent>((resolveEvent) => {
    const listening = deck.engine.onCall((event) => (listening.dispose(), resolveEvent(event)));
  });
  const headers = [...asked.headers, ...ownHeaders(deck.providers.get(call.provider), terminal)];
  const { signal } = new AbortController();
  const { reply } = await deck.engine.answer({ ...asked, headers, run, signal });
  if (!(reply.body instanceof Uint8Array)) for await (const bytes of reply.body) void bytes;
  const { outcome, reason, hint } = await ended;
  terminal.err(`${outcome}  ${callName(call)}\n`);
  if (outcome === "recorded" || outcome === "replayed") return undefined;
  return [reason ?? `the provider answered with ${reply.status}.`, hint].filter(Boolean).join(" ");
}

/** The key of this machine's environment, as the provider's own client sends it. */
function ownHeaders(provider: Provider | undefined, { env }: Terminal): WireHeaders {
  const key = provider?.keyVariables.map((variable) => env[variable]).find((value) => value);
  if (provider === undefined || key === undefined) return [];
  switch (provider.name) {
    case "anthropic":
      return [
        ["x-api-key", key],
        ["anthropic-version", "2023-06-01"],
      ];
    case "gemini":
      return [["x-goog-api-key", key]];
    case "azure":
      return [["api-key", key]];
    default:
      return [["authorization", `Bearer ${key}`]];
  }
}

function callName({ provider, model, label, test }: ListedCall): string {
  const of = test === undefined ? "" : `  (${test.file})`;
  return visibleLine(`${model ?? provider} "${label}"${of}`);
}
