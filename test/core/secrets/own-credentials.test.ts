import { describe, expect, it } from "vitest";
import type { Call, Mode } from "../../../src/core/call.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import { aRun, anEngine, textOf, type EngineUnderTest } from "../../support/an-engine.ts";
import { secretsThat } from "../../support/secrets-that.ts";

const KEY = "Zq81kdLmQpw72Hs4vTna";
const providers = createProviders({ search: "https://api.search.example" });

function searchCall(mode: Mode, key: string, { path = "/search", query = "a parcel" } = {}): Call {
  return {
    provider: "search",
    method: "POST",
    path,
    headers: [["content-type", "application/json"]],
    body: Buffer.from(`{ "api_key": ${JSON.stringify(key)},\n "query": ${JSON.stringify(query)}, "n": 1.0 }`),
    signal: new AbortController().signal,
    run: aRun(mode),
  };
}

async function anEngineThat(policy: "redact" | "drop"): Promise<EngineUnderTest> {
  const reply = { status: 200, headers: [["content-type", "application/json"]] as const };
  return anEngine(() => ({ ...reply, body: bytes('{"results":[]}') }), {
    providers,
    secrets: await secretsThat(policy),
  });
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function ask({ engine }: EngineUnderTest, call: Call) {
  const answer = await engine.answer(call);
  await textOf(answer);
  return answer.settled;
}

describe("an API whose key stands in the body", () => {
  it("is recorded without it by a project that redacts, and found again under any other key", async () => {
    const under = await anEngineThat("redact");

    const { outcome, entry = "" } = await ask(under, searchCall("record", KEY));
    const again = await ask(under, searchCall("strict", "parcel"));
    const another = await ask(under, searchCall("strict", "parcel", { query: "a letter" }));

    expect([outcome, again.outcome, another.outcome]).toEqual(["recorded", "replayed", "miss"]);
    const kept = Buffer.from((await under.store.read(entry)).request.body).toString();
    expect(kept).toBe('{ "api_key": "[redacted: credential]",\n "query": "a parcel", "n": 1.0 }');
    expect(Buffer.from(under.sent[0]?.body ?? []).toString()).toContain(KEY);
  });

  it("is not recorded by one that drops, and told what would help", async () => {
    const under = await anEngineThat("drop");

    const { outcome, reason, hint } = await ask(under, searchCall("record", "a-key-of-words"));

    expect([outcome, reason]).toEqual([
      "forwarded",
      "The answer was not recorded: the request body holds the credential that the call sent in api_key of its body. Take it out there and record again.",
    ]);
    expect(hint).toBe(
      'With "secrets": "redact" in tapedeck.jsonc it is recorded without it, and found again under another key.',
    );
  });

  it("is still not recorded where its answer repeats the key in another form", async () => {
    const echo = Buffer.from(` ${KEY} `).toString("hex");
    const { engine } = anEngine(
      () => ({
        status: 200,
        headers: [["content-type", "application/json"]],
        body: bytes(`{"echo":"${echo}"}`),
      }),
      { providers, secrets: await secretsThat("redact") },
    );

    const answer = await engine.answer(searchCall("record", KEY));
    await textOf(answer);

    expect(await answer.settled).toMatchObject({
      outcome: "forwarded",
      reason: expect.stringContaining("reply"),
    });
  });
});

it("an API whose key stands in the query under a name of its own is recorded and found again as well", async () => {
  const under = await anEngineThat("redact");
  const path = (secret: string): string => `/search?client_secret=${secret}&page=2`;

  const { outcome, entry = "" } = await ask(under, searchCall("record", KEY, { path: path(KEY) }));
  const again = await ask(under, searchCall("strict", "x", { path: path("other") }));
  const another = await ask(under, searchCall("strict", "x", { path: "/search?client_secret=other&page=3" }));

  expect([outcome, again.outcome, another.outcome]).toEqual(["recorded", "replayed", "miss"]);
  expect((await under.store.read(entry)).request.path).toBe(
    "/search?client_secret=%5Bredacted%3A%20credential%5D&page=2",
  );
});
