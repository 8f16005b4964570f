import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import type { CallEvent, Mode } from "../../src/core/call/call.ts";
import { openDeck } from "../../src/deck/deck.ts";
import { COMPLETION } from "../support/a-completion.ts";
import { aFolder } from "../support/a-folder.ts";
import { aServer } from "../support/a-server.ts";
import { send } from "../support/http-client.ts";

const BODY = gzipSync(JSON.stringify(COMPLETION));

/** Sends a call to a provider that answers in this content encoding. */
async function ask(encoding: string, provider: string, mode: Mode) {
  const origin = await aServer((request, response) => {
    const headers = { "content-type": "application/json", "content-encoding": encoding };
    request.resume().on("end", () => response.writeHead(200, headers).end(BODY));
  });
  const deck = openDeck({ dir: join(aFolder(), ".tapedeck"), upstreams: { [provider]: origin } });
  onTestFinished(() => deck.close());
  const events: CallEvent[] = [];
  deck.engine.onCall((event) => events.push(event));
  const server = await deck.listen();
  const { url } = server.admit(deck.createRun(mode));
  const body = '{"model":"m","messages":[{"role":"user","content":"Say hi"}]}';
  const headers = { "content-type": "application/json" };
  const reply = await send(`${url}/${provider}/v1/chat/completions`, { headers, body });
  return { reply, events, recordings: (await deck.store.list()).length };
}

test.each(["openai", "a-plain-api"])(
  "a reply of %s in an unknown content encoding reaches the client as it was sent, and is not recorded",
  async (provider) => {
    const { reply, events, recordings } = await ask("rot13", provider, "record");

    expect(reply.headers).toMatchObject({
      "content-encoding": "rot13",
      "x-tapedeck-outcome": "forwarded",
    });
    expect(reply.body).toEqual(BODY);
    expect(recordings).toBe(0);
    expect(events).toMatchObject([
      { outcome: "forwarded", reason: expect.stringContaining('"rot13", which this Node.js cannot decode') },
    ]);
  },
);

test("live mode passes on a content encoding that it cannot decode", async () => {
  const { reply } = await ask("rot13", "openai", "live");

  expect(reply.headers["content-encoding"]).toBe("rot13");
  expect(gunzipSync(reply.body).toString()).toBe(JSON.stringify(COMPLETION));
});
