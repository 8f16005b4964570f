import { describe, expect, it } from "vitest";
import type { Call } from "../../../../src/core/call/call.ts";
import { cutBody, framingOf } from "../../../../src/core/base/wire/framing.ts";
import { anEngine, aRun } from "../../../support/an-engine.ts";
import { replyOf } from "../../../support/reply-of.ts";
import { trafficFixture, type TrafficFixture } from "../../../support/traffic-fixture.ts";

const FAMILIES = {
  "openai-chat": { provider: "openai", path: "/v1/chat/completions" },
  "openai-responses": { provider: "openai", path: "/v1/responses" },
  "openai-completions": { provider: "openai", path: "/v1/completions" },
  "openai-images": { provider: "openai", path: "/v1/images/generations" },
  "openai-audio": { provider: "openai", path: "/v1/audio/transcriptions" },
  "anthropic-messages": { provider: "anthropic", path: "/v1/messages" },
} as const;

type Family = keyof typeof FAMILIES;

const WHOLE: readonly (readonly [Family, string])[] = [
  ["openai-chat", "stream"],
  ["openai-responses", "stream"],
  ["openai-responses", "nameless"],
  ["openai-responses", "incomplete"],
  ["openai-responses", "response"],
  ["openai-completions", "stream"],
  ["openai-images", "stream"],
  ["openai-images", "two"],
  ["openai-audio", "heard-stream"],
  ["openai-audio", "transcription"],
  ["openai-audio", "subtitles"],
  ["anthropic-messages", "stream"],
];
const CUT: readonly (readonly [Family, string])[] = [
  ["openai-chat", "cut"],
  ["openai-responses", "cut"],
  ["openai-completions", "cut"],
  ["openai-images", "cut"],
  ["openai-audio", "heard-cut"],
  ["anthropic-messages", "cut"],
];
const FAILED: readonly (readonly [Family, string])[] = [
  ["openai-chat", "error-in-stream"],
  ["openai-responses", "error-in-stream"],
  ["openai-responses", "failed"],
  ["openai-completions", "error-in-stream"],
  ["openai-images", "error-in-stream"],
  ["openai-audio", "heard-failed"],
  ["anthropic-messages", "error-in-stream"],
];

describe("the whole answer or none", () => {
  it.each(WHOLE)("%s %s is recorded and replayed, byte for byte", async (family, name) => {
    const { fixture, call } = aCall(family, name);
    const { engine } = anEngine(() => incoming(fixture, bytewise(fixture.reply.body)));

    const recorded = await bodyOf(await engine.answer(call("record")));
    const replayed = await engine.answer(call("strict"));

    expect(recorded).toEqual(Buffer.from(fixture.reply.body));
    expect(replayed.outcome).toBe("replayed");
    expect(await bodyOf(replayed)).toEqual(recorded);
  });

  it.each(CUT)("%s %s, which ends too early, is passed on and not recorded", async (family, name) => {
    const { fixture, call } = aCall(family, name);
    const { engine, store, events } = anEngine(() => incoming(fixture, bytewise(fixture.reply.body)));

    const body = await bodyOf(await engine.answer(call("record")));

    expect(body).toEqual(Buffer.from(fixture.reply.body));
    expect(await store.list()).toEqual([]);
    expect(events[0]?.reason).toContain("ended without its terminal event");
  });

  it.each<readonly [string, readonly (readonly [number, string | null])[], boolean]>([
    [
      "one choice that finished",
      [
        [0, null],
        [0, "stop"],
      ],
      true,
    ],
    [
      "two choices that finished",
      [
        [0, "stop"],
        [1, null],
        [1, "length"],
      ],
      true,
    ],
    [
      "two choices, only one finished",
      [
        [0, "stop"],
        [1, null],
      ],
      false,
    ],
    ["a choice that did not finish", [[0, null]], false],
    ["no choice", [], false],
  ])("a chat stream without [DONE] and with %s: recorded only if whole", async (_, chunks, isWhole) => {
    const text = chunks
      .map(([index, finish_reason]) => ({ choices: [{ index, delta: { content: "a" }, finish_reason }] }))
      .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
      .join("");
    const { fixture, call } = aCall("openai-chat", "cut");
    const { engine, store } = anEngine(() => incoming(fixture, bytewise(Buffer.from(text))));

    await bodyOf(await engine.answer(call("record")));

    expect(await store.list()).toHaveLength(isWhole ? 1 : 0);
  });

  it.each([
    ["a stop_reason", { stop_reason: "end_turn" }, true],
    ["no stop_reason", { stop_reason: null }, false],
  ])(
    "an Anthropic stream without message_stop and with %s: recorded only if whole",
    async (_, delta, isWhole) => {
      const events = [
        { type: "message_start", message: { id: "m", role: "assistant", content: [] } },
        { type: "message_delta", delta, usage: { output_tokens: 1 } },
      ];
      const text = events.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`).join("");
      const { fixture, call } = aCall("anthropic-messages", "cut");
      const { engine, store } = anEngine(() => incoming(fixture, bytewise(Buffer.from(text))));

      await bodyOf(await engine.answer(call("record")));

      expect(await store.list()).toHaveLength(isWhole ? 1 : 0);
    },
  );

  it.each(FAILED)("%s %s, which fails inside, is passed on and not recorded", async (family, name) => {
    const { fixture, call } = aCall(family, name);
    const { engine, store, events } = anEngine(() => incoming(fixture, bytewise(fixture.reply.body)));

    const body = await bodyOf(await engine.answer(call("record")));

    expect(body).toEqual(Buffer.from(fixture.reply.body));
    expect(await store.list()).toEqual([]);
    expect(events[0]?.reason).toContain("reported an error inside the stream");
  });

  it.each(WHOLE.map(([family, name]) => [family, name] as const))(
    "%s %s, when the connection breaks off before its end, is not recorded",
    async (family, name) => {
      const { fixture, call } = aCall(family, name);
      const [first = new Uint8Array(0)] = cutBody(fixture.reply.body, framingOf(fixture.reply.contentType));
      const half = first.subarray(0, Math.ceil(first.byteLength / 2));
      const { engine, store, events } = anEngine(() => incoming(fixture, broken(half)));

      await expect(engine.answer(call("record")).then(bodyOf)).rejects.toThrow("socket hang up");

      expect(await store.list()).toEqual([]);
      expect(events[0]?.reason).toContain("broke off within the answer");
    },
  );

  it.each([
    ["openai-chat", "stream"],
    ["openai-responses", "stream"],
    ["openai-images", "stream"],
    ["openai-audio", "heard-stream"],
    ["anthropic-messages", "stream"],
  ] as const)(
    "%s %s is not recorded where its client leaves and nothing more comes",
    async (family, name) => {
      const { fixture, call } = aCall(family, name);
      const leaving = new AbortController();
      const { engine, store, events, sent, clock } = anEngine(({ signal }) =>
        incoming(fixture, openEnded(fixture.reply.body.subarray(0, 60), signal)),
      );
      const answering = engine.answer({ ...call("record"), signal: leaving.signal });
      while (clock.waits.length === 0) await new Promise((resolve) => setImmediate(resolve));
      clock.advance(5);
      const answer = await answering;

      leaving.abort();
      while (!clock.waits.includes(120_000)) await new Promise((resolve) => setImmediate(resolve));
      clock.advance(120_000);
      await answer.settled;

      expect(sent[0]?.signal.aborted).toBe(true);
      expect(await store.list()).toEqual([]);
      expect(events[0]?.reason).toContain("The client left");
    },
  );

  it("of a stream of pictures ends with its body, however long the next picture takes", async () => {
    const { fixture, call } = aCall("openai-images", "two");
    const beginning = cutBody(fixture.reply.body, "events")
      .slice(0, 2)
      .reduce((sum, { byteLength }) => sum + byteLength, 0);
    const { engine, clock, store } = anEngine(() => incoming(fixture, slow()));
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield fixture.reply.body.subarray(0, beginning);
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(60_000);
      await new Promise((resolve) => setImmediate(resolve));
      yield fixture.reply.body.subarray(beginning);
    }

    const body = await bodyOf(await engine.answer(call("record")));

    expect(body).toEqual(Buffer.from(fixture.reply.body));
    const [address] = await store.list();
    expect(Buffer.from((await replyOf(store, address!.entry)).body)).toEqual(body);
  });

  it("is an upload and an answer in one piece, too: an error in it is not recorded", async () => {
    const { fixture, call } = aCall("openai-audio", "transcription");
    const error = Buffer.from('{"error":{"message":"no","type":"server_error"}}');
    const { engine, store, events } = anEngine(() => incoming(fixture, bytewise(error)));

    await bodyOf(await engine.answer(call("record")));

    expect(await store.list()).toEqual([]);
    expect(events[0]?.reason).toContain("not a whole audio.transcriptions reply");
  });
});

describe("a response in the background", () => {
  it("is made, waited for and replayed without waiting: what is not finished is not recorded", async () => {
    const states = ["queued", "in_progress", "in_progress", "completed"];
    const state = (): Uint8Array =>
      Buffer.from(
        JSON.stringify({
          id: "resp_7",
          object: "response",
          background: true,
          status: states.shift(),
          output: [],
        }),
      );
    const json = { status: 200, headers: [["content-type", "application/json"]] } as const;
    const { engine, events, sent } = anEngine(() => ({ ...json, body: bytewise(state()) }));
    const wait = async (mode: "record" | "strict"): Promise<readonly string[]> => {
      const run = aRun(mode);
      const seen = [
        await ask({ method: "POST", path: "/v1/responses", body: '{"background":true,"input":"Hi"}' }),
      ];
      while (seen.at(-1)?.status !== "completed")
        seen.push(await ask({ method: "GET", path: `/v1/responses/${seen[0]?.id}`, body: "" }));
      return seen.map(({ status }) => status);

      async function ask(asked: { method: string; path: string; body: string }) {
        const headers = [["content-type", "application/json"]] as const;
        const { signal } = new AbortController();
        const call = { ...asked, provider: "openai", headers, body: Buffer.from(asked.body), signal, run };
        return JSON.parse((await bodyOf(await engine.answer(call))).toString()) as {
          id: string;
          status: string;
        };
      }
    };

    const recorded = await wait("record");
    const replayed = await wait("strict");

    expect(recorded).toEqual(["queued", "in_progress", "in_progress", "completed"]);
    expect(replayed).toEqual(["queued", "completed"]);
    expect(sent).toHaveLength(4);
    expect(events.map(({ operation, outcome }) => `${operation} ${outcome}`)).toEqual([
      "responses recorded",
      "responses.retrieve forwarded",
      "responses.retrieve forwarded",
      "responses.retrieve recorded",
      "responses replayed",
      "responses.retrieve replayed",
    ]);
    expect(events[1]?.reason).toBe(
      "The response resp_7 is in_progress, not finished; it was passed on and not recorded.",
    );
  });
});

function aCall(
  family: Family,
  name: string,
): { readonly fixture: TrafficFixture; readonly call: (mode: "record" | "strict") => Call } {
  const fixture = trafficFixture(family, name, FAMILIES[family]);
  const { body } = fixture.request;
  const contentType = body.kind === "bytes" ? (body.contentType ?? "") : "application/json";
  const bytes = body.kind === "bytes" ? body.bytes : Buffer.from(JSON.stringify(fixture.asked));
  const { provider, method, path } = fixture.request;
  return {
    fixture,
    call: (mode) => ({
      provider,
      method,
      path,
      headers: [["content-type", contentType]],
      body: bytes,
      signal: new AbortController().signal,
      run: aRun(mode),
    }),
  };
}

function incoming({ reply }: TrafficFixture, body: AsyncIterable<Uint8Array>) {
  return { status: reply.status, headers: [["content-type", reply.contentType]] as const, body };
}

async function* bytewise(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.byteLength; at += 7) yield body.subarray(at, at + 7);
}

async function* broken(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body;
  throw new Error("socket hang up");
}

async function* openEnded(body: Uint8Array, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield body;
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}

async function bodyOf(answer: {
  readonly reply: { readonly body: Uint8Array | AsyncIterable<Uint8Array> };
}): Promise<Buffer> {
  const { body } = answer.reply;
  if (body instanceof Uint8Array) return Buffer.from(body);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
