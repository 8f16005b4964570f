import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Call, CallEvent, Mode, Run } from "../../src/core/call/call.ts";
import type { Socket, SocketListener } from "../../src/core/call/socket.ts";
import type { DeckOptions } from "../../src/deck/deck-options.ts";
import { openDeck, type Deck } from "../../src/deck/deck.ts";
import { aFolder } from "./a-folder.ts";
import { aRealtimeServer, type Behave } from "./a-realtime-server.ts";
import { aSocketClient, type SocketClient } from "./a-socket-client.ts";

export const REALTIME = "/openai/v1/realtime?model=gpt-realtime";

/** A deck whose sessions go to an upstream on this machine. */
export interface SessionDeck {
  readonly deck: Deck;
  readonly dir: string;
  readonly events: readonly CallEvent[];
  readonly warnings: readonly string[];
  /** Returns the address of a new run of this mode. */
  readonly url: (mode: Mode) => string;
  /** Resolves when this many calls have been reported. */
  readonly reported: (count: number) => Promise<readonly CallEvent[]>;
}

export async function aSessionDeck(
  upstreams: Readonly<Record<string, string>>,
  {
    path = REALTIME,
    dir = join(aFolder(), ".tapedeck"),
    ...options
  }: { readonly path?: string } & Partial<DeckOptions> = {},
): Promise<SessionDeck> {
  const deck = openDeck({ dir, upstreams, ...options });
  onTestFinished(() => deck.close());
  const server = await deck.listen();
  const events: CallEvent[] = [];
  const warnings: string[] = [];
  deck.onNotice(({ message }) => warnings.push(message));
  const waiting = new Set<() => void>();
  deck.engine.onCall((event) => {
    events.push(event);
    for (const look of waiting) look();
  });
  return {
    deck,
    dir,
    events,
    warnings,
    url: (mode) => `${server.admit(deck.createRun(mode)).url}${path}`,
    reported: (count) =>
      new Promise((resolve) => {
        const look = (): void => void (events.length >= count && resolve(events));
        waiting.add(look);
        look();
      }),
  };
}

/** A deck over a server of the Realtime API. */
export async function aRealtimeDeck(behave?: Behave, options: Partial<DeckOptions> = {}) {
  const upstream = await aRealtimeServer(behave);
  return { upstream, ...(await aSessionDeck({ openai: upstream.url }, options)) };
}

export const says = (text: string) => ({
  type: "conversation.item.create",
  item: { type: "message", role: "user", content: [{ type: "input_text", text }] },
});
export const UPDATE = { type: "session.update", event_id: "event_1", session: { instructions: "Be brief." } };
export const CREATE = { type: "response.create" };

/** Has a conversation with a server of `aRealtimeServer`, and returns the client after its end. */
export async function converse(url: string, texts: readonly string[]): Promise<SocketClient> {
  const client = await aSocketClient(url);
  await client.until("session.created");
  client.send(UPDATE);
  for (const text of texts) {
    client.send(says(text));
    client.send(CREATE);
    await client.until(`"text":"Echo: ${text}"`);
  }
  await client.close();
  return client;
}

/** A client without a connection: it sends messages, and keeps the frames that it gets. */
export interface DirectClient {
  send(text: string): void;
  readonly frames: readonly string[];
  /** How often the server waited until the client had handled its frames. */
  settled(): number;
  /** Closes, and resolves with the outcome of the session. */
  end(): Promise<string>;
}

export async function aDirectClient(deck: Deck, run: Run): Promise<DirectClient> {
  const frames: string[] = [];
  let settled = 0;
  let listener: SocketListener | undefined;
  const socket: Socket = {
    listen: (next) => void (listener = next),
    send: (message) => void frames.push("text" in message ? message.text : ""),
    ping: () => {},
    settle: async () => void (settled += 1),
    close: ({ code }) => void frames.push(`closed ${code}`),
  };
  const call: Call = {
    provider: "openai",
    method: "GET",
    path: REALTIME.slice("/openai".length),
    headers: [],
    body: new Uint8Array(),
    signal: new AbortController().signal,
    run,
    socket: { protocols: [], accept: async () => socket },
  };
  const answer = await deck.engine.answer(call);
  return {
    frames,
    settled: () => settled,
    send: (text) => listener?.message({ text }),
    async end() {
      listener?.close({ code: 1000, reason: "" }, () => {});
      return (await answer.settled).outcome;
    },
  };
}
