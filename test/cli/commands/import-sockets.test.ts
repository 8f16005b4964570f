import { join } from "node:path";
import { stringify } from "yaml";
import { expect, test } from "vitest";
import { aSessionDeck } from "../../support/a-session-deck.ts";
import { aSocketClient } from "../../support/a-socket-client.ts";
import { importFiles } from "../imports.ts";

type Message = readonly [direction: "sent" | "received" | "closed", data: object];

const cassette = (...messages: readonly Message[]): string =>
  stringify({ version: 1, interactions: messages.map(([direction, data]) => ({ direction, data })) });

const CREATED: Message = [
  "received",
  { type: "session.created", session: { id: "sess_1", model: "gpt-realtime" } },
];
const CREATE: Message = ["sent", { type: "response.create" }];
const BEGUN: Message = ["received", { type: "response.created", response: { id: "resp_1" } }];
const DONE: Message = ["received", { type: "response.done", response: { id: "resp_1", output: [] } }];
const turn = (input: string, text: string): readonly Message[] => [
  ["sent", { type: "response.create", model: "gpt-5", input }],
  ["received", { type: "response.output_text.delta", delta: text }],
  ["received", { type: "response.completed", response: { id: `resp_${text}`, output: [] } }],
];

async function importText(text: string) {
  const { cwd, ...rest } = await importFiles({ "session.yaml": text });
  return { dir: join(cwd, ".tapedeck"), ...rest };
}

test("a cassette of a session's messages is imported, and replayed by cause", async () => {
  const { dir, reports, recordings } = await importText(cassette(CREATED, CREATE, BEGUN, DONE));
  const { url } = await aSessionDeck({}, { dir });
  const client = await aSocketClient(url("strict"));
  await client.until("session.created");
  client.send({ type: "response.create" });
  const done = await client.until("response.done");
  await client.close();

  expect(reports[0]?.format).toBe("sockets");
  expect(recordings).toMatchObject([{ operation: "realtime", model: "gpt-realtime" }]);
  expect(JSON.parse(done)).toEqual(DONE[1]);
  expect(client.frames).toHaveLength(3);
});

test("a session of xAI, which shares OpenAI's messages, is replayed to clients of xAI", async () => {
  const created = { type: "session.created", session: { model: "grok-voice-latest" } };
  const { dir } = await importText(cassette(["received", created], CREATE, BEGUN, DONE));
  const { url } = await aSessionDeck({}, { dir, path: "/xai/v1/realtime?model=grok-voice-latest" });
  const client = await aSocketClient(url("strict"));
  await client.until("session.created");
  client.send({ type: "response.create" });

  expect(JSON.parse(await client.until("response.done"))).toEqual(DONE[1]);
  await client.close();
});

test("a session of Gemini Live is replayed to clients of each version", async () => {
  const setup = { setup: { model: "models/gemini-live" } };
  const { dir } = await importText(cassette(["sent", setup], ["received", { setupComplete: {} }]));
  for (const version of ["v1beta", "v1", "v1alpha"]) {
    const path = `/gemini/ws/google.ai.generativelanguage.${version}.GenerativeService.BidiGenerateContent`;
    const { url } = await aSessionDeck({}, { dir, path });
    const client = await aSocketClient(url("strict"));
    client.send(setup);

    expect(await client.until("setupComplete")).toBe('{"setupComplete":{}}');
    await client.close();
  }
});

test("turns of the Responses API are imported as calls over HTTP", async () => {
  const { recordings, skipped } = await importText(
    cassette(...turn("one", "first"), ...turn("two", "second"), [
      "sent",
      { type: "response.create", model: "gpt-5", input: "three" },
    ]),
  );

  expect(recordings.map(({ operation, request }) => [operation, request.method, request.path])).toEqual([
    ["responses", "POST", "/v1/responses"],
    ["responses", "POST", "/v1/responses"],
  ]);
  expect(Buffer.from(recordings[1]?.reply.body ?? []).toString()).toContain('"delta":"second"');
  expect(JSON.parse(Buffer.from(recordings[0]?.request.body ?? []).toString())).toEqual({
    model: "gpt-5",
    input: "one",
    stream: true,
  });
  expect(skipped).toEqual([expect.stringContaining("has no complete response")]);
});

test.each([
  ["a session of Gemini Live", [["sent", { setup: { model: "models/gemini-live" } }]], []],
  ["a session that ends within a reply", [CREATED, CREATE, BEGUN], ["ended before the reply"]],
  [
    "a session whose server went away after the reply",
    [CREATED, CREATE, BEGUN, DONE, ["closed", { code: 1001, reason: "" }]],
    [],
  ],
  [
    "a session that its server closed with an error",
    [CREATED, CREATE, ["closed", { code: 1011, reason: "no" }]],
    ["with code 1011"],
  ],
  [
    "a session without its beginning",
    [["received", { type: "session.updated", session: { model: "gpt-realtime" } }]],
    ["does not begin like a session"],
  ],
  ["a session of another API", [["sent", { hello: 1 }]], ["does not begin like a session"]],
] as const satisfies readonly (readonly [string, readonly Message[], readonly string[]])[])(
  "%s is imported, or skipped with its reason",
  async (_, messages, reasons) => {
    const { recordings, skipped } = await importText(cassette(...messages));

    expect(skipped).toEqual(reasons.map((text) => expect.stringContaining(text) as string));
    expect(recordings).toHaveLength(1 - reasons.length);
  },
);
