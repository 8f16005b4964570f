import { describe, expect, it } from "vitest";
import {
  badRequest,
  bodyTooLarge,
  refused,
  tapedeckError,
  type TapedeckError,
} from "../../src/core/base/errors.ts";
import type { Dialect, Projection, Protocol, StreamRules } from "../../src/core/protocol/base/protocol.ts";
import { textsAmong } from "../../src/core/protocol/base/request.ts";
import {
  createCutterFor,
  cutBody,
  framingOf,
  pieceText,
  type Framing,
} from "../../src/core/base/wire/framing.ts";
import { readFrame } from "../../src/core/base/wire/sse.ts";
import { bytesOf, joinBytes } from "../../src/core/base/wire/text.ts";
import { readingOf, replyingFetch, type Sdk } from "../support/sdk-reading.ts";
import { aRequest, type TrafficFixture } from "../support/traffic-fixture.ts";

/** A fixture and what is expected of it. */
export interface ProtocolCase {
  readonly fixture: TrafficFixture;
  readonly ends: "whole" | "cut" | "failed";
  readonly projection: Projection;
}

export interface ProtocolSubject {
  readonly protocol: Protocol;
  readonly dialect: Dialect;
  readonly sdk: Sdk;
  /** Path of the operation, and a body that it accepts. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly cases: readonly ProtocolCase[];
  /** Bodies that it refuses, with what the refusal says; those of a chat where nothing else is said. */
  readonly faults?: readonly (readonly [fault: string, wrong: unknown])[];
  /** Where the address asks for a stream or for none, and the body says nothing of it. */
  readonly alwaysStreams?: boolean;
  /** The model that a reply made from a draft names; the body's where it is left out. */
  readonly model?: string | undefined;
}

/** What every operation of every provider has to keep. */
export function protocolContract(name: string, subject: ProtocolSubject): void {
  describe(`${name}, by the contract of protocols`, () => {
    projecting(subject);
    streaming(subject);
    composing(subject);
    refusing(subject);
    readingRequests(subject);
  });
}

type NamedCase = readonly [name: string, one: ProtocolCase];

/** Each case is read as expected, and what is in one piece is known to be whole or cut. */
export function projections({ protocol, cases }: Pick<ProtocolSubject, "protocol" | "cases">): void {
  const named = cases.map((one): NamedCase => [one.fixture.name, one]);

  it.each(named)("%s has the expected reading", (_name, { fixture, projection }) => {
    expect(protocol.project(fixture.reply)).toEqual(projection);
  });

  it.each(named.filter(([, { fixture }]) => isInOnePiece(protocol, fixture.reply)))(
    "%s is known to be whole, and to be cut",
    (_name, { fixture }) => {
      const cut = fixture.reply.body.subarray(0, -3);

      expect(protocol.isWhole(fixture.reply.body)).toBe(true);
      expect(protocol.isWhole(cut)).toBe(false);
    },
  );
}

function projecting({ protocol, sdk, cases }: ProtocolSubject): void {
  const named = cases.map((one): NamedCase => [one.fixture.name, one]);
  projections({ protocol, cases });

  it.each(named.filter(([, { ends }]) => ends === "whole"))(
    "%s is read by the official SDK as by us",
    async (_name, { fixture }) => {
      const { fetch } = replyingFetch(wireOf(fixture.reply));

      const fromSdk = await sdk.read(fetch, fixture.asked);

      expect(readingOf(protocol.project(fixture.reply))).toEqual(fromSdk);
    },
  );

  it.each(named.filter(([, { ends }]) => ends === "failed"))(
    "%s fails in the official SDK, with what we read of it",
    async (_name, { fixture, projection }) => {
      const { fetch } = replyingFetch(wireOf(fixture.reply));

      const thrown = await failureOf(sdk.read(fetch, fixture.asked));

      const [told] = textsAmong(projection.messages.at(-1)?.parts ?? []);
      expect(String(thrown)).toContain(told?.split(": ").at(-1));
    },
  );
}

/** The events of streams join to their bytes, and their end is known and held back. */
export function streaming({ protocol, cases }: Pick<ProtocolSubject, "protocol" | "cases">): void {
  const streams = cases
    .filter(({ fixture }) => isStream(protocol, fixture.reply))
    .map((one): NamedCase => [one.fixture.name, one]);

  it.each(streams)("%s joins to its bytes from its frames, however they come in", (_name, { fixture }) => {
    const cutter = createCutterFor(framingIn(protocol, fixture.reply.contentType));

    const frames = [...fixture.reply.body].flatMap((byte) => cutter.push(new Uint8Array([byte])));

    expect(joinBytes([...frames, cutter.rest()])).toEqual(new Uint8Array(fixture.reply.body));
  });

  it.each(streams)("%s is known to be whole, cut or failed by its frames", (_name, { fixture, ends }) => {
    expect(endOf(protocol, fixture.reply.body, fixture.reply.contentType)).toBe(ends);
  });

  it.each(streams)(
    "%s: what may become its terminal event is held back, and nothing longer than needed",
    (_name, { fixture }) => {
      const framing = framingIn(protocol, fixture.reply.contentType);
      const pieces = cutBody(fixture.reply.body, framing).map((piece) => pieceText(piece, framing));
      expect(wronglyHeld(rulesOf(protocol), pieces)).toEqual([]);
    },
  );
}

const DRAFTS = ["Hi!", "One line\nand another,\r\nwith “quotes” and 👋.\n", ""];

function composing(subject: ProtocolSubject): void {
  const { protocol, sdk, path, body, alwaysStreams } = subject;
  const ways = alwaysStreams === undefined ? [false, true] : [alwaysStreams];
  describe.each(ways)("a reply made from a draft, stream: %s", (stream) => {
    it.each(DRAFTS)("%j is read by the official SDK and by us, and is whole", async (text) => {
      const asked = alwaysStreams === undefined ? { ...body, stream } : body;

      const usage = { inputTokens: 12, outputTokens: 3 };
      const composed = protocol.compose({ text, usage }, aRequest({ path, body: asked }));

      const reply = { status: 200, ...composed };
      const { fetch } = replyingFetch(wireOf(reply));
      const reading = await sdk.read(fetch, asked);
      expect(reading.messages.map((message) => message.text)).toEqual([text]);
      expect(readingOf(protocol.project(reply))).toEqual(reading);
      expect(protocol.project(reply).usage ?? usage).toMatchObject(usage);
      expect(reading.finishReason).toMatch(/^(?:stop|end_turn|completed)$/i);
      expect(reading.model).toBe("model" in subject ? subject.model : body["model"]);
      expect(
        stream ? endOf(protocol, composed.body, composed.contentType) : protocol.isWhole(composed.body),
      ).toBe(stream ? "whole" : true);
    });
  });
}

const FAILURES: readonly TapedeckError[] = [
  tapedeckError("tapedeck_miss", "No recording for this call.", { hint: "Record it." }),
  badRequest("the body is empty.", "Send one."),
  bodyTooLarge(64 * 1_048_576),
  refused("wrong token.", "Take the address from the ready line."),
  tapedeckError("tapedeck_upstream", "Tapedeck could not reach the provider.", { hint: "Try again." }),
];

/** A call by an official SDK, and what its errors are called. */
export interface SdkCall {
  call(fetch: typeof globalThis.fetch): Promise<unknown>;
  readonly codeOf?: Sdk["codeOf"];
  readonly statusOf: Sdk["statusOf"];
}

function refusing({ protocol, dialect, sdk, body }: ProtocolSubject): void {
  refusals(protocol, dialect, {
    call: (fetch) => sdk.read(fetch, body),
    ...(sdk.codeOf && { codeOf: (error: unknown) => sdk.codeOf?.(error) }),
    statusOf: (error) => sdk.statusOf(error),
  });
}

/** Every failure of ours reaches the SDK as an error of its own, once, and is never taken for a reply. */
export function refusals(protocol: Protocol, dialect: Dialect, sdk: SdkCall): void {
  it.each(FAILURES)(
    "the failure $code reaches the official SDK as one request and one typed error",
    async (error) => {
      const refusal = dialect.refuse(error);

      // The engine adds this header to every refusal.
      const headers = [...refusal.headers, ["x-should-retry", "false"] as const];
      const { fetch, count } = replyingFetch({ ...refusal, headers, body: wholeBody(refusal.body) });
      const thrown = await failureOf(sdk.call(fetch));
      expect(count()).toBe(1);
      expect(sdk.statusOf(thrown)).toBe(error.status);
      expect(sdk.codeOf === undefined ? error.code : sdk.codeOf(thrown)).toBe(error.code);
      expect(String(thrown)).toContain(`${error.message} ${error.hint}`);
      expect(refusal.headers).toEqual([["content-type", "application/json"]]);
      const readAgain = protocol.project({ status: refusal.status, body: wholeBody(refusal.body) });
      expect(readAgain.messages).toEqual([
        { role: "error", parts: [{ type: "text", text: `${error.code}: ${error.message} ${error.hint}` }] },
      ]);
      expect(protocol.isWhole(wholeBody(refusal.body))).toBe(false);
    },
  );
}

function readingRequests(subject: ProtocolSubject): void {
  const { body, faults } = subject;
  const { messages: _messages, ...withoutMessages } = body;
  refusingRequests({
    ...subject,
    faults: faults ?? [
      ["the body is empty", ""],
      ["not an object", "[]"],
      ['"messages" is missing', withoutMessages],
      ['"messages" is not a list', { ...body, messages: "hi" }],
      ['"model" is not a text', { ...body, model: 5 }],
      ['"model" is null', { ...body, model: null }],
    ],
  });
  if (faults === undefined) takingOddMessages(subject);
  readingAnything(subject);
}

/** Each wrong request is refused with the name of its fault. */
export function refusingRequests({
  protocol,
  path,
  faults = [],
}: Pick<ProtocolSubject, "protocol" | "path" | "faults">): void {
  it.each(faults)("a request is refused by name where %s", (fault, wrong) => {
    expect(() => protocol.facts(aRequest({ path, body: wrong as object }))).toThrow(fault);
  });
}

function takingOddMessages({ protocol, path, body }: ProtocolSubject): void {
  it("takes unknown roles, types and members as they are", () => {
    const messages = [{ role: "oracle", content: [{ type: "scent", scent: "rose" }, 5, null] }, "what", null];
    const odd = { ...body, messages, constructor: { toString: [{}] }, tools: "none", stop: [] };
    const request = aRequest({ path, body: odd });

    expect(protocol.facts(request).label).toBe("chat with 3 messages");
    expect(protocol.conversation(request).messages).toContainEqual({
      role: "oracle",
      parts: [
        { type: "other", description: "scent", text: '{"type":"scent","scent":"rose"}' },
        { type: "other", description: "content", text: "5" },
        { type: "other", description: "content", text: "null" },
      ],
    });
  });
}

/** Whatever a reply is, reading it is no error. */
export function readingAnything({ protocol }: Pick<ProtocolSubject, "protocol">): void {
  it.each([
    ["nothing", ""],
    ["a text", "<html>Bad gateway</html>"],
    ["another object", '{"ok":true}'],
    ["a list", "[[]]"],
    ["deep nesting", "[".repeat(50_000) + "]".repeat(50_000)],
    ["a stream of something else", "data: 5\n\ndata: null\n\ndata: [1]\n\nevent: x\ndata: {}\n\n"],
    [
      "wrong types",
      '{"choices":[5,{"message":7}],"content":[1,{"type":"constructor"}],"usage":[],"model":{},"output":[3,{"type":"constructor","summary":5},{"type":"x_call","outputs":[[]]}],"data":[7,{"embedding":{}}],"results":[null,{"categories":5}],"text":[]}',
    ],
  ])("reads %s for a reply without an error", (_what, text) => {
    for (const contentType of ["application/json", "text/event-stream", undefined]) {
      const reply = { status: 200, body: bytesOf(text), ...(contentType !== undefined && { contentType }) };

      expect(Array.isArray(protocol.project(reply).messages)).toBe(true);
    }
  });
}

/** How a stream ended, as whoever records it finds out. */
export function endOf(
  protocol: Protocol,
  body: Uint8Array,
  contentType = "text/event-stream",
): "whole" | "cut" | "failed" {
  const rules = rulesOf(protocol);
  const framing = framingIn(protocol, contentType);
  const frames = cutBody(body, framing).map((piece) => pieceText(piece, framing));
  if (frames.some((frame) => rules.isError(frame))) return "failed";
  const hasEnd = frames.some((frame) => rules.isTerminal(frame)) || rules.isFinished?.(body) === true;
  return hasEnd ? "whole" : "cut";
}

/**
 * Frames that are let go before they may be, or wait longer than needed: every beginning of a terminal event waits,
 * and every other event with data is let go before it is whole, unless the end may stand anywhere in it.
 */
export function wronglyHeld(rules: StreamRules, frames: readonly string[]): string[] {
  return frames.filter((frame) => {
    const beginnings = Array.from({ length: frame.length }, (_, length) => frame.slice(0, length));
    const held = beginnings.map((beginning) => rules.mayBeTerminal(beginning));
    if (rules.isTerminal(frame)) return held.includes(false);
    const isAnywhere = rules.endsWithBody === true && rules.mayBeTerminal(`data: {"any": "thing that is"`);
    return !isAnywhere && readFrame(frame).data !== undefined && held.slice(40).includes(true);
  });
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    return { succeeded: await promise };
  } catch (error) {
    return error;
  }
}

function isStream({ stream }: Protocol, { contentType }: TrafficFixture["reply"]): boolean {
  return stream !== undefined && (framingOf(contentType) ?? stream.inJson) !== undefined;
}

function isInOnePiece(protocol: Protocol, reply: TrafficFixture["reply"]): boolean {
  return reply.contentType.includes("json") && !isStream(protocol, reply);
}

function framingIn({ stream }: Protocol, contentType: string): Framing {
  return framingOf(contentType) ?? stream?.inJson ?? "events";
}

function wireOf(reply: TrafficFixture["reply"]): Parameters<typeof replyingFetch>[0] {
  return { status: reply.status, headers: [["content-type", reply.contentType]], body: reply.body };
}

function rulesOf({ stream, operation }: Protocol): StreamRules {
  if (stream === undefined) throw new Error(`${operation} has no stream`);
  return stream;
}

function wholeBody(body: Uint8Array | AsyncIterable<Uint8Array>): Uint8Array {
  if (body instanceof Uint8Array) return body;
  throw new Error("a refusal's body is bytes");
}
