import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { CallEvent, Mode } from "../../src/core/call/call.ts";
import { openDeck, type Deck } from "../../src/deck/deck.ts";
import type { DeckOptions } from "../../src/deck/deck-options.ts";
import { createKeyPair } from "../../src/remote/team-keys.ts";
import type { RemoteOptions } from "../../src/team/remote-variables.ts";
import { readRemoteSettings, type RemoteSettings } from "../../src/team/settings.ts";
import { anUpstream, type Upstream } from "../cli/an-upstream.ts";

/** A team with a cache in a folder that all of them share, and a provider that they pay. */
export interface Team {
  readonly cache: string;
  /** The private key. */
  readonly key: string;
  readonly publicKey: string;
  readonly upstream: Upstream;
  /** How many calls were paid. */
  readonly paid: () => number;
  settings(said?: Partial<RemoteOptions>): RemoteSettings;
  /** A machine of the team: a new folder with a deck on it. */
  machine(said?: Partial<RemoteOptions> | "without", options?: Partial<DeckOptions>): Machine;
}

export interface Machine {
  readonly dir: string;
  readonly deck: Deck;
  readonly warnings: readonly string[];
  /** What became of calls with these words, one after the other in one run. */
  ask(mode: Mode, ...words: readonly string[]): Promise<readonly CallResult[]>;
  /** Ends its deck. */
  close(): Promise<void>;
  /** Another run of the same machine. */
  again(said?: Partial<RemoteOptions> | "without"): Machine;
}

export interface CallResult {
  readonly outcome: CallEvent["outcome"];
  readonly entry: string | null;
  readonly text: string;
}

export async function aTeam(): Promise<Team> {
  const cache = aFolder();
  const { privateKey: key, publicKey } = createKeyPair();
  const upstream = await anUpstream();
  const settings = (said: Partial<RemoteOptions> = {}): RemoteSettings => {
    const all = { address: cache, key, writes: false, ...said };
    const read = readRemoteSettings(all, {});
    if (read === undefined) throw new Error("no cache is named");
    return read;
  };
  const machineIn = (
    dir: string,
    said: Partial<RemoteOptions> | "without" = {},
    more: Partial<DeckOptions> = {},
  ): Machine => {
    const remote = said === "without" ? {} : { remote: settings(said) };
    const upstreams = { openai: upstream.origin };
    const deck = openDeck({ dir, upstreams, ...FREE, ...remote, ...more });
    const warnings: string[] = [];
    deck.onNotice(({ level, message }) => void (level === "info" || warnings.push(message)));
    onTestFinished(() => deck.close());
    return {
      dir,
      deck,
      warnings,
      ask: (mode, ...words) => askAll(deck, mode, words),
      close: () => deck.close(),
      again: (next) => machineIn(dir, next, more),
    };
  };
  return {
    cache,
    key,
    publicKey,
    upstream,
    paid: () => upstream.requests.length,
    settings,
    machine: (said, options) => {
      const dir = join(aFolder(), ".tapedeck");
      mkdirSync(dir);
      return machineIn(dir, said, options);
    },
  };
}

/** Calls to the stand-in need no confirmation. */
const FREE: Partial<DeckOptions> = { beforePaidCall: async () => undefined, env: {} };

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tapedeck-team-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function askAll(deck: Deck, mode: Mode, words: readonly string[]): Promise<readonly CallResult[]> {
  const run = deck.createRun(mode);
  const told: CallResult[] = [];
  for (const word of words) told.push(await ask(deck, run, word));
  return told;
}

/** One call of a run. */
export async function ask(deck: Deck, run: ReturnType<Deck["createRun"]>, word: string): Promise<CallResult> {
  const ended = new Promise<CallEvent>((resolve) => {
    const listening = deck.engine.onCall((event) => {
      if (event.label !== word || event.run !== run.id) return;
      listening.dispose();
      resolve(event);
    });
  });
  const reply = await deck.fetch(run)(`${deck.providers.get("openai")?.upstream}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer sk-test" },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: word }] }),
  });
  const text = await reply.text();
  const { outcome, entry } = await ended;
  return { outcome, entry, text: /"content":"([^"]*)"/.exec(text)?.[1] ?? text };
}
