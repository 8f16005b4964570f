import { GoogleGenAI, type LiveServerMessage } from "@google/genai";
import { expect, test } from "vitest";
import { aRealtimeServer } from "../../support/a-realtime-server.ts";
import { aSessionDeck } from "../../support/a-session-deck.ts";

interface ClientMessage {
  readonly setup?: { readonly sessionResumption?: { readonly handle?: string } };
  readonly clientContent?: { readonly turns: readonly { readonly parts: readonly object[] }[] };
}

/** A server of Gemini Live. It gives each session another handle, recognizes resumed sessions, and closes after a turn. */
async function aLiveServer() {
  let handles = 0;
  return aRealtimeServer((ws) => {
    const send = (message: object): void => ws.send(JSON.stringify(message));
    ws.on("message", (data: Buffer) => {
      const { setup, clientContent } = JSON.parse(data.toString()) as ClientMessage;
      if (setup !== undefined) {
        send({ setupComplete: {} });
        const newHandle = `handle-${(handles += 1)}-${Math.random().toString(36).slice(2)}`;
        send({ sessionResumptionUpdate: { newHandle, resumable: true } });
        const { handle } = setup.sessionResumption ?? {};
        if (handle !== undefined) send({ serverContent: { outputTranscription: { text: "Welcome back." } } });
      }
      if (clientContent !== undefined) {
        send({ serverContent: { modelTurn: { parts: clientContent.turns[0]?.parts ?? [] } } });
        send({ serverContent: { turnComplete: true } });
        ws.close(1000, "go away");
      }
    });
  });
}

/** Connects with the SDK, sends a text, and returns everything that was received until the server closed. */
async function converse(baseUrl: string, text: string, handle?: string) {
  const { live } = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl } });
  const received: LiveServerMessage[] = [];
  let end: ((reason: string) => void) | undefined;
  const closed = new Promise<string>((resolve) => (end = resolve));
  const session = await live.connect({
    model: "gemini-live",
    config: { sessionResumption: handle === undefined ? {} : { handle } },
    callbacks: {
      onmessage: (message) => received.push(message),
      onclose: ({ code, reason }) => end?.(`${code} ${reason}`),
    },
  });
  session.sendClientContent({ turns: [{ role: "user", parts: [{ text }] }] });
  const reason = await closed;
  const handles = received.flatMap(({ sessionResumptionUpdate: update }) => update?.newHandle ?? []);
  return { reason, received: received.map((message) => JSON.stringify(message)), handle: handles[0] };
}

test("a session that resumes another is replayed with its handle, and missed with other words", async () => {
  const upstream = await aLiveServer();
  const { url, reported } = await aSessionDeck({ gemini: upstream.url }, { path: "/gemini" });
  const both = async (base: string, text: string) => {
    const first = await converse(base, "hello");
    return [first, await converse(base, text, first.handle)] as const;
  };
  const recorded = await both(url("record"), "and again");
  const outcomes = (await reported(2)).map(({ outcome }) => outcome);
  const replayed = await both(url("strict"), "and again");
  const [, missed] = await both(url("strict"), "something else");

  expect(outcomes).toEqual(["recorded", "recorded"]);
  expect(recorded[1].received.join("\n")).toContain("Welcome back.");
  expect(replayed).toEqual(recorded);
  expect(missed.reason).toMatch(/^1008 tapedeck_miss: /);
  expect((await reported(6)).at(-1)?.miss?.message).toContain('"and again" → "something else"');
  expect(upstream.opened).toHaveLength(2);
});
