import { describe, expect, it } from "vitest";
import type { Call, Mode } from "../../../src/core/call/call.ts";
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

describe("an API with its key in the body", () => {
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

  it("is not recorded by one that drops, and the message suggests a fix", async () => {
    const under = await anEngineThat("drop");

    const { outcome, reason, hint } = await ask(under, searchCall("record", "a-key-of-words"));

    expect([outcome, reason]).toEqual([
      "forwarded",
      "The response was not recorded: the request body contains the credential that the call sent in api_key of its body. Remove it there and record again.",
    ]);
    expect(hint).toBe(
      'Set "secrets": "redact" in tapedeck.jsonc to record the call without it, under another key. Set "credentials": {"search":["api_key"]} there to leave it out of keys and recordings.',
    );
  });

  it("is still not recorded when its answer repeats the key in another form", async () => {
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
      reason: expect.stringContaining("response contains"),
    });
  });
});

it("an API with its key in a query parameter of any name is recorded and replayed as well", async () => {
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

const FORMS: readonly (readonly [
  name: string,
  type: string,
  body: (field: string, secret: string) => string,
])[] = [
  [
    "a form",
    "application/x-www-form-urlencoded",
    (field, secret) => `q=a+parcel&${field}=${encodeURIComponent(secret)}&n=1`,
  ],
  [
    "a form with parts",
    "multipart/form-data; boundary=XX",
    (field, secret) => {
      const part = (name: string, value: string): string =>
        `--XX\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
      return `${part("q", "a pärcel")}${part(field, secret)}${part("n", "1")}--XX--\r\n`;
    },
  ],
];

describe.each(FORMS)("an API with its key in %s", (_, type, body) => {
  const formCall = (mode: Mode, field: string, secret: string): Call => ({
    ...searchCall(mode, ""),
    headers: [["content-type", type]],
    body: Buffer.from(body(field, secret)),
  });
  const FIELDS = ["api_key", "client_secret", "password", "refresh_token", "Subscription-Key"];

  it("is recorded without it by a project that redacts, and found again under any other key", async () => {
    const under = await anEngineThat("redact");
    for (const field of FIELDS) {
      const { outcome, entry = "" } = await ask(under, formCall("record", field, `${KEY}/=`));
      const again = await ask(under, formCall("strict", field, "x"));

      expect([field, outcome, again.outcome]).toEqual([field, "recorded", "replayed"]);
      const kept = Buffer.from((await under.store.read(entry)).request.body).toString();
      expect(decodeURIComponent(kept)).toBe(decodeURIComponent(body(field, "[redacted: credential]")));
    }
  });

  it("is not recorded by one that drops", async () => {
    const under = await anEngineThat("drop");
    for (const field of FIELDS) {
      const { outcome, reason } = await ask(under, formCall("record", field, "a-key-of-words"));

      expect(outcome).toBe("forwarded");
      expect(reason).toContain("the request body contains");
    }
    expect((await ask(under, formCall("record", "page", KEY))).outcome).toBe("recorded");
  });
});

it.each<readonly [string, string, (secret: string) => Partial<Call>]>([
  ...["tavily_api_key", "projectApiKey"].map(
    (name) =>
      [
        "a member of a body",
        name,
        (secret: string) => ({ body: Buffer.from(JSON.stringify({ [name]: secret })) }),
      ] as const,
  ),
  ...["subscription-key", "refresh_token"].map(
    (name) =>
      ["a parameter of a query", name, (secret: string) => ({ path: `/search?${name}=${secret}` })] as const,
  ),
])("%s called %s is a credential, with any key of a repeated call", async (_, __, more) => {
  const under = await anEngineThat("redact");

  const { outcome } = await ask(under, { ...searchCall("record", ""), ...more(KEY) });
  const again = await ask(under, { ...searchCall("strict", ""), ...more("x") });

  expect([outcome, again.outcome]).toEqual(["recorded", "replayed"]);
});

describe.each<readonly [string, string, (secret: string) => string]>([
  [
    "a member called token of a body of any shape",
    "application/json",
    (secret) => JSON.stringify({ event: "parcel", properties: { token: secret } }),
  ],
  [
    "a line of JSON",
    "application/x-ndjson",
    (secret) => `{"event":"a parcel"}\n{"api_key":"${secret}","event":"sent"}\n`,
  ],
])("the credential in %s", (_, type, body) => {
  const call = (mode: Mode, secret: string): Call => ({
    ...searchCall(mode, ""),
    headers: [["content-type", type]],
    body: Buffer.from(body(secret)),
  });
  // Too much of it comes twice for one that was made by chance.
  const [ONE, OTHER] = ["abababababababab1212", "cdcdcdcdcdcdcdcd3434"] as const;

  it("is replaced when the project redacts: recorded, and found again for another", async () => {
    const under = await anEngineThat("redact");

    const { outcome, entry = "" } = await ask(under, call("record", ONE));
    const again = await ask(under, call("strict", OTHER));

    expect([outcome, again.outcome]).toEqual(["recorded", "replayed"]);
    const kept = Buffer.from((await under.store.read(entry)).request.body).toString();
    expect(kept).toBe(body("[redacted: credential]"));
  });

  it("keeps its answer from being recorded elsewhere", async () => {
    const { outcome, reason } = await ask(await anEngineThat("drop"), call("record", ONE));

    expect(outcome).toBe("forwarded");
    expect(reason).toContain("the request body contains the credential that the call sent in ");
  });
});
