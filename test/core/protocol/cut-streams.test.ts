import { expect, test } from "vitest";
import { tryParsePlainJson } from "../../../src/core/base/lenient.ts";
import { cutBody } from "../../../src/core/base/wire/framing.ts";
import { readFrame } from "../../../src/core/base/wire/sse.ts";
import { decodeText, joinBytes } from "../../../src/core/base/wire/text.ts";
import type { Projection } from "../../../src/core/protocol/base/protocol.ts";
import { casesOf } from "../../support/cases.ts";
import { makeCorpus, sample } from "../../support/corpus/corpus.ts";
import type { RecordedExchange } from "../../support/recorded-exchange.ts";
import { seeded, type Random } from "../../support/seeded.ts";
import { framingIn, operationAt } from "../../support/wire-fixtures.ts";

const RUNS = casesOf({ quick: 2, long: 20 });

/** Cuts at UTF-16 units, which providers do too, also where nothing is between two cuts. */
const cutBy =
  (random: Random) =>
  (text: string): readonly string[] => {
    const cuts = Array.from({ length: Math.floor(random() * 6) }, () =>
      Math.floor(random() * (text.length + 1)),
    ).sort((a, b) => a - b);
    return [...cuts, text.length].map((end, index) => text.slice(cuts[index - 1] ?? 0, end));
  };

const protocolOf = ({ provider, request: { method, path, headers } }: RecordedExchange) =>
  operationAt(provider, method, path, headers !== undefined).protocol;

function messageOf(exchange: RecordedExchange): Omit<Projection, "events"> {
  const { events: _, ...message } = protocolOf(exchange).project(exchange.reply);
  return message;
}

/** Lets blocks and parallel tool calls take turns where a provider numbers them; each keeps its own order. */
function interleave(exchange: RecordedExchange, random: Random): RecordedExchange {
  const { reply } = exchange;
  const [before, after]: [Uint8Array[], Uint8Array[]] = [[], []];
  const queues = new Map<string, Uint8Array[]>();
  for (const frame of cutBody(reply.body, "events")) {
    const block = blockOf(readFrame(decodeText(frame)).data);
    if (block !== undefined) queues.set(block, [...(queues.get(block) ?? []), frame]);
    else (queues.size === 0 ? before : after).push(frame);
  }
  const mixed: Uint8Array[] = [];
  for (let left = [...queues.values()]; left.length > 0; left = left.filter((queue) => queue.length > 0))
    mixed.push(...(left[Math.floor(random() * left.length)]?.splice(0, 1) ?? []));
  return { ...exchange, reply: { ...reply, body: joinBytes([...before, ...mixed, ...after]) } };
}

interface Numbered {
  readonly type?: string;
  readonly index?: number;
  readonly output_index?: number;
  readonly choices?: readonly { readonly delta?: Delta }[];
}

interface Delta {
  readonly role?: string;
  readonly content?: unknown;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly { readonly index: number }[];
}

function blockOf(data = ""): string | undefined {
  const { type = "", index, output_index, choices = [] } = (tryParsePlainJson(data) ?? {}) as Numbered;
  const { role, content, reasoning_content, tool_calls } = choices[0]?.delta ?? {};
  if (reasoning_content !== undefined) return "thinking";
  if (typeof content === "string" && role === undefined) return "text";
  const block = output_index ?? (type.startsWith("content_block_") ? index : undefined);
  const call = tool_calls?.[0]?.index ?? block;
  return call === undefined ? undefined : String(call);
}

test("a stream of any provider gives the same message however it is cut, and however its blocks take turns", () => {
  const whole = makeCorpus(39, (text) => [text]);
  const chosen = new Set(casesOf({ quick: sample(whole), long: whole }).map(({ source }) => source));
  const found = { streams: 0, mixed: 0 };
  for (let run = 0; run < RUNS; run += 1) {
    const random = seeded(run);
    for (const [index, exchange] of makeCorpus(39, cutBy(random)).entries()) {
      if (!chosen.has(exchange.source)) continue;
      const framing = framingIn(protocolOf(exchange), exchange.reply.contentType);
      const uncut = whole[index];
      if (framing === undefined || uncut === undefined) continue;
      found.streams += 1;

      expect([exchange.source, messageOf(exchange)]).toEqual([exchange.source, messageOf(uncut)]);
      if (framing !== "events") continue;
      const mixed = interleave(exchange, random);
      if (Buffer.compare(mixed.reply.body, exchange.reply.body) !== 0) found.mixed += 1;
      expect([exchange.source, messageOf(mixed)]).toEqual([exchange.source, messageOf(uncut)]);
    }
  }
  console.log(`▸ ${found.streams} streams give the same message, cut at random, ${found.mixed} interleaved`);
  expect(found.streams).toBeGreaterThan(150);
  expect(found.mixed).toBeGreaterThan(15);
});
