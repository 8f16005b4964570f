import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { chooseFraming } from "../../src/core/base/wire/framing.ts";
import { openDeck, type Deck } from "../../src/deck/deck.ts";
import { send } from "./http-client.ts";
import { NAMED_UPSTREAMS, type RecordedExchange, type RecordedTraffic } from "./recorded-traffic.ts";
import { seeded, type Random } from "./seeded.ts";

/** What became of one call of the data. */
export interface Conformed {
  readonly exchange: RecordedExchange;
  readonly verdict: "exact" | "wrong" | "excluded";
  /** Why it is wrong, or cannot be replayed. */
  readonly reason?: string;
}

/**
 * Sends traffic through a deck: recorded through an upstream that cuts the replies at places that a seed decides,
 * then asked for again in strict mode with the upstream gone. Status, content type and body are compared both times.
 */
export async function conform(
  exchanges: readonly RecordedExchange[],
  { dir, seed }: { readonly dir: string; readonly seed: number },
): Promise<readonly Conformed[]> {
  const sent = exchanges.filter((exchange) => !isRetried(exchange, exchanges));
  const upstream = await stubUpstream(sent, seed);
  const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const names = new Set([...sent.map(({ provider }) => provider), ...Object.keys(NAMED_UPSTREAMS)]);
  const deck = openDeck({ dir, upstreams: Object.fromEntries([...names].map((name) => [name, origin])) });
  const recorded = await askAll(deck, "record", sent);
  upstream.close();
  upstream.closeAllConnections();
  const replayed = await askAll(deck, "strict", sent);
  await deck.close();
  const verdicts = sent.map((exchange, index) => verdictOf(exchange, recorded[index]!, replayed[index]!));
  const retried = exchanges.filter((exchange) => !sent.includes(exchange));
  return [
    ...verdicts,
    ...retried.map((exchange) => ({ exchange, verdict: "excluded", reason: RETRIED }) as const),
  ];
}

const RETRIED = "is an error that a later answer to the same request followed, which strict gives";
const FAILED = "is an error: passed on byte for byte, never recorded, a miss in strict";

/** Errors are passed on and never recorded: what comes back in strict is a miss. */
export function isKept({ reply }: RecordedExchange): boolean {
  return reply.status >= 200 && reply.status < 300;
}

export function isStreamed({ reply }: RecordedExchange): boolean {
  return chooseFraming(reply.contentType) !== undefined;
}

export function requestOf({ provider, request }: RecordedExchange): string {
  return `${provider} ${request.method} ${request.path} ${Buffer.from(request.body).toString("latin1")}`;
}

function isRetried(exchange: RecordedExchange, all: readonly RecordedExchange[]): boolean {
  return !isKept(exchange) && all.some((other) => isKept(other) && requestOf(other) === requestOf(exchange));
}

function verdictOf(
  exchange: RecordedExchange,
  recorded: ConformanceReply,
  replayed: ConformanceReply,
): Conformed {
  const wrong = (reason: string): Conformed => ({ exchange, verdict: "wrong", reason });
  if (!isSame(exchange, recorded)) return wrong("differs while it is recorded");
  if (!isKept(exchange))
    return replayed.outcome === "miss"
      ? { exchange, verdict: "excluded", reason: FAILED }
      : wrong(`is an error, and strict answered as ${String(replayed.outcome)}`);
  if (replayed.outcome !== "replayed") return wrong(`was not replayed but ${String(replayed.outcome)}`);
  return isSame(exchange, replayed) ? { exchange, verdict: "exact" } : wrong("differs in strict");
}

function isSame({ reply }: RecordedExchange, asked: ConformanceReply): boolean {
  const { status, contentType, body } = asked;
  return (
    status === reply.status && contentType === reply.contentType && Buffer.compare(body, reply.body) === 0
  );
}

interface ConformanceReply {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly outcome: unknown;
  readonly body: Buffer;
}

async function askAll(
  deck: Deck,
  mode: "record" | "strict",
  exchanges: readonly RecordedExchange[],
): Promise<readonly ConformanceReply[]> {
  const server = await deck.listen();
  const { url } = server.admit(deck.createRun(mode));
  const asked: ConformanceReply[] = [];
  for (const [index, { provider, request }] of exchanges.entries()) {
    const type = request.contentType && { "content-type": request.contentType };
    const headers = { ...type, ...request.headers, "x-stub-exchange": String(index) };
    const reply = await send(`${url}/${provider}${request.path}`, { ...request, headers });
    const { "content-type": contentType, "x-tapedeck-outcome": outcome } = reply.headers;
    asked.push({ status: reply.status, contentType, outcome, body: reply.body });
  }
  await server.close();
  return asked;
}

/** Answers the n-th request with the n-th reply, cut into pieces at places that a seed decides. */
function stubUpstream(exchanges: readonly RecordedExchange[], seed: number): Promise<Server> {
  const random = seeded(seed);
  const server = createServer((request, response) => {
    request.resume();
    void sendInPieces(response, exchanges[Number(request.headers["x-stub-exchange"])]!.reply, random, 4_000);
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

/** Sends a reply cut into pieces of up to `most` bytes, some of them in later turns of the event loop. */
export async function sendInPieces(
  response: ServerResponse,
  { status, contentType, body }: RecordedExchange["reply"],
  random: Random,
  most: number,
): Promise<void> {
  response.writeHead(status, { "content-type": contentType });
  for (let at = 0; at < body.byteLength;) {
    const size = 1 + Math.floor(random() * random() * most);
    response.write(body.subarray(at, at + size));
    at += size;
    if (random() < 0.3) await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}

/** A line of the table: one operation of one provider. */
export interface ConformanceRow {
  readonly name: string;
  readonly files: number;
  readonly exchanges: number;
  readonly streams: number;
  readonly exact: number;
  readonly wrong: number;
  readonly excluded: number;
}

export function rowsOf(conformed: readonly Conformed[]): readonly ConformanceRow[] {
  const names = new Map<string, Conformed[]>();
  for (const one of conformed) {
    const name = `${one.exchange.provider} ${one.exchange.operation}`;
    names.set(name, [...(names.get(name) ?? []), one]);
  }
  return [...names].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, all]) => rowOf(name, all));
}

export function rowOf(name: string, all: readonly Conformed[]): ConformanceRow {
  const count = (verdict: Conformed["verdict"]): number =>
    all.filter((one) => one.verdict === verdict).length;
  return {
    name,
    files: new Set(all.map(({ exchange }) => exchange.source.replace(/#\d+$/, ""))).size,
    exchanges: all.length,
    streams: all.filter(({ exchange }) => isStreamed(exchange)).length,
    exact: count("exact"),
    wrong: count("wrong"),
    excluded: count("excluded"),
  };
}

/** How often each reason excludes something: answers that are not kept, and what is no traffic at all. */
export function reasonsOf(
  conformed: readonly Conformed[],
  { excluded }: Pick<RecordedTraffic, "excluded">,
): ReadonlyMap<string, number> {
  const reasons = [
    ...conformed.flatMap(({ verdict, reason }) => (verdict === "excluded" && reason ? [reason] : [])),
    ...excluded.map(({ reason }) => reason),
  ];
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return counts;
}
