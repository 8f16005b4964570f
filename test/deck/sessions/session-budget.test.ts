import { expect, test } from "vitest";
import type { Behave } from "../../support/a-realtime-server.ts";
import { aRealtimeDeck, CREATE, says } from "../../support/a-session-deck.ts";
import { aSocketClient } from "../../support/a-socket-client.ts";

/** Replies that take 60 tokens each. */
const replies: Behave = (ws, send) => {
  send({ type: "session.created", session: {} });
  ws.on("message", (data) => {
    if (!String(data).includes("response.create")) return;
    send({ type: "response.created", response: { id: "resp_1" } });
    const usage = { total_tokens: 60, input_tokens: 40, output_tokens: 20 };
    send({ type: "response.done", response: { id: "resp_1", output: [], usage } });
  });
};

test.each(["record", "live"] as const)(
  "in %s mode, a session ends after the reply that reaches a limit, with the reason",
  async (mode) => {
    const { upstream, url, reported, deck } = await aRealtimeDeck(replies, { limits: { tokens: 100 } });
    const client = await aSocketClient(url(mode));
    for (const text of ["one", "two"]) {
      client.send(says(text));
      client.send(CREATE);
    }
    await client.until("tapedeck_budget");
    client.send(says("three"));

    expect(await client.closed).toMatch(/^1008 .*the limit of 100 tokens per run is reached/);
    expect((await reported(1))[0]).toMatchObject({
      outcome: "forwarded",
      charge: { calls: 1, inputTokens: 80, outputTokens: 40 },
      spent: { calls: 1, inputTokens: 80, outputTokens: 40 },
      hint: expect.stringContaining("--max-tokens"),
    });
    expect(upstream.received.join()).not.toContain("three");
    expect(await deck.store.list()).toEqual([]);
  },
);

test("a session within its limits is recorded, and counted once", async () => {
  const { url, reported } = await aRealtimeDeck(replies, { limits: { tokens: 1_000, calls: 1 } });
  const client = await aSocketClient(url("record"));
  client.send(says("one"));
  client.send(CREATE);
  await client.until("response.done");
  await client.close();

  expect((await reported(1))[0]).toMatchObject({
    outcome: "recorded",
    spent: { calls: 1, inputTokens: 40, outputTokens: 20 },
  });
});
