import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { framingOf } from "../../src/core/wire/framing.ts";
import { openDeck } from "../../src/deck.ts";
import { send } from "../support/http-client.ts";
import { loadRecordedTraffic, NAMED_UPSTREAMS, type RecordedExchange } from "../support/recorded-traffic.ts";
import { seeded } from "../support/seeded.ts";

/** Every provider of the data, also those that only the user knows. */
const traffic = loadRecordedTraffic(() => true);
const dir = mkdtempSync(join(tmpdir(), "tapedeck-traffic-"));

afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe("real recorded traffic", () => {
  test.skipIf(!traffic.present)(
    "is recorded through an upstream that cuts it anywhere, and replayed byte for byte with the upstream gone (needs ../shared/data)",
    async () => {
      const exchanges = withoutRetried(traffic.exchanges);
      const upstream = await stubUpstream(exchanges);
      const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
      const names = [
        ...new Set([...exchanges.map(({ provider }) => provider), ...Object.keys(NAMED_UPSTREAMS)]),
      ];
      const deck = openDeck({ dir, upstreams: Object.fromEntries(names.map((name) => [name, origin])) });
      const server = await deck.listen();
      const record = server.admit(deck.createRun("record"));
      const strict = server.admit(deck.createRun("strict"));
      const recorded: Asked[] = [];
      for (const exchange of exchanges) recorded.push(await ask(record.url, exchange));
      upstream.close();
      upstream.closeAllConnections();

      const replayed: Asked[] = [];
      for (const exchange of exchanges) replayed.push(await ask(strict.url, exchange));
      await deck.close();

      const wrong = exchanges.filter(
        (exchange, index) => !sameBytes(exchange, recorded[index]!) || !sameBytes(exchange, replayed[index]!),
      );
      const kept = exchanges.filter(isKept);
      const missed = exchanges.filter((_, index) => replayed[index]!.outcome !== "replayed");
      console.log(`▸ real traffic, recorded and replayed: ${countsOf(exchanges, kept)}`);
      for (const line of tableOf(kept)) console.log(`▸   ${line}`);
      expect(wrong.filter(isKept).map(({ source }) => source)).toEqual([]);
      expect(missed.map(({ source }) => source)).toEqual(
        exchanges.filter((exchange) => !isKept(exchange)).map(({ source }) => source),
      );
      expect(kept.length).toBeGreaterThan(500);
    },
    120_000,
  );
});

/** Errors are passed on and never recorded: what comes back in strict is a miss. */
function isKept({ reply }: RecordedExchange): boolean {
  return reply.status < 400;
}

/** "openai responses: 61 JSON, 4 streams". */
function tableOf(kept: readonly RecordedExchange[]): string[] {
  const rows = new Map<string, { whole: number; streams: number }>();
  for (const { provider, operation, reply } of kept) {
    const name = `${provider} ${operation}`;
    const row = rows.get(name) ?? { whole: 0, streams: 0 };
    if (framingOf(reply.contentType) !== undefined) row.streams += 1;
    else row.whole += 1;
    rows.set(name, row);
  }
  return [...rows]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { whole, streams }]) => `${name}: ${whole} in one piece, ${streams} streams`);
}

function sameBytes(exchange: RecordedExchange, reply: Asked): boolean {
  const { status, contentType, body } = exchange.reply;
  return (
    reply.status === status && reply.contentType === contentType && Buffer.compare(reply.body, body) === 0
  );
}

/** Without errors that a later answer to the same request followed: only the later one is recorded, so strict gives it. */
function withoutRetried(exchanges: readonly RecordedExchange[]): readonly RecordedExchange[] {
  const answered = new Set(exchanges.filter(isKept).map(requestOf));
  return exchanges.filter((exchange) => isKept(exchange) || !answered.has(requestOf(exchange)));
}

function requestOf({ provider, request }: RecordedExchange): string {
  return `${provider} ${request.path} ${Buffer.from(request.body).toString()}`;
}

interface Asked {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly outcome: unknown;
  readonly body: Buffer;
}

let asked = 0;

async function ask(url: string, { provider, request }: RecordedExchange): Promise<Asked> {
  const { contentType } = request;
  const headers = { ...(contentType && { "content-type": contentType }), "x-stub-exchange": String(asked++) };
  const {
    status,
    headers: received,
    body,
  } = await send(`${url}/${provider}${request.path}`, { ...request, headers });
  return { status, contentType: received["content-type"], outcome: received["x-tapedeck-outcome"], body };
}

/** Answers the n-th request with the n-th reply, cut into pieces at places that a seed decides. */
function stubUpstream(exchanges: readonly RecordedExchange[]): Promise<Server> {
  const random = seeded(20261121);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    request.resume();
    const { reply } = exchanges[Number(request.headers["x-stub-exchange"])]!;
    response.writeHead(reply.status, { "content-type": reply.contentType });
    for (let at = 0; at < reply.body.byteLength;) {
      const size = 1 + Math.floor(random() * random() * 4_000);
      response.write(reply.body.subarray(at, at + size));
      at += size;
      if (random() < 0.3) await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  };
  const server = createServer((request, response) => void answer(request, response));
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

function countsOf(exchanges: readonly RecordedExchange[], kept: readonly RecordedExchange[]): string {
  const streams = kept.filter(({ reply }) => framingOf(reply.contentType) !== undefined).length;
  const bytes = kept.reduce((sum, { reply }) => sum + reply.body.byteLength, 0);
  const errors = exchanges.length - kept.length;
  const repeats = kept.length - new Set(kept.map(requestOf)).size;
  return `recorded traffic: ${kept.length} replies replayed byte for byte (${streams} streams, ${repeats} repeated requests, ${bytes} bytes); ${errors} error replies passed on and not recorded`;
}
