import { describe, expect, it } from "vitest";
import type { Call, Mode } from "../../../src/core/call/call.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import {
  aRun,
  anEngine,
  chatCall,
  encode,
  recordCall,
  type EngineUnderTest,
} from "../../support/an-engine.ts";
import { secretsThat } from "../../support/secrets-that.ts";

const KEY = "Zq81kdLmQpw72Hs4vTna";
/** Too much of these comes twice for a secret that was made by chance. */
const [PLAIN, OTHER] = ["abababababababab1212", "cdcdcdcdcdcdcdcd3434"] as const;
const providers = createProviders({ search: "https://api.search.example" });

/** A call of an API for which each user has a key. `more`: parts of the call. */
const searchCall = (mode: Mode, more: Partial<Call>): Call =>
  chatCall(aRun(mode), "", {}, { provider: "search", path: "/search", ...more });

interface Place {
  readonly type?: string;
  /** Names of the key in this place. */
  readonly fields: readonly string[];
  readonly body: (field: string, secret: string, query: string) => string;
}

const FIELDS = ["api_key", "client_secret", "password", "refresh_token", "Subscription-Key"];
const part = (name: string, value: string): string =>
  `--XX\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

const PLACES: Readonly<Record<string, Place>> = {
  "a body": {
    fields: ["api_key", "tavily_api_key", "projectApiKey"],
    body: (field, secret, query) => `{ "${field}": "${secret}",\n "query": "${query}", "n": 1.0 }`,
  },
  "a body of any shape": {
    fields: ["token"],
    body: (field, secret, query) => JSON.stringify({ event: query, properties: { [field]: secret } }),
  },
  "a line of JSON": {
    type: "application/x-ndjson",
    fields: ["api_key"],
    body: (field, secret, query) => `{"event":"${query}"}\n{"${field}":"${secret}","event":"sent"}\n`,
  },
  "a form": {
    type: "application/x-www-form-urlencoded",
    fields: FIELDS,
    body: (field, secret, query) => `q=${query.replace(" ", "+")}&${field}=${encodeURIComponent(secret)}&n=1`,
  },
  "a form with parts": {
    type: "multipart/form-data; boundary=XX",
    fields: FIELDS,
    body: (field, secret, query) => `${part("q", query)}${part(field, secret)}${part("n", "1")}--XX--\r\n`,
  },
};

async function anEngineThat(policy: "redact" | "drop", reply = '{"results":[]}'): Promise<EngineUnderTest> {
  const [status, headers] = [200, [["content-type", "application/json"]]] as const;
  const upstream = () => ({ status, headers, body: encode([reply]) });
  return anEngine(upstream, { providers, secrets: await secretsThat(policy) });
}

describe.each(Object.entries(PLACES))(
  "an API with its key in %s",
  (_, { type = "application/json", fields, body }) => {
    const callOf = (mode: Mode, field: string, secret: string, query = "a parcel"): Call =>
      searchCall(mode, { headers: [["content-type", type]], body: Buffer.from(body(field, secret, query)) });

    it.each(fields)(
      "is recorded without %s by a project that redacts, and found again under any other",
      async (field) => {
        const under = await anEngineThat("redact");

        const { outcome, keptRequest } = await recordCall(under, callOf("record", field, KEY));
        const again = await recordCall(under, callOf("strict", field, OTHER));
        const another = await recordCall(under, callOf("strict", field, OTHER, "a letter"));

        expect([outcome, again.outcome, another.outcome]).toEqual(["recorded", "replayed", "miss"]);
        expect(decodeURIComponent(keptRequest)).toBe(
          decodeURIComponent(body(field, "[redacted: credential]", "a parcel")),
        );
        expect(Buffer.from(under.sent[0]?.body ?? []).toString()).toContain(KEY);
      },
    );

    it.each(fields)("is not recorded with %s by one that drops", async (field) => {
      const { outcome, reason } = await recordCall(
        await anEngineThat("drop"),
        callOf("record", field, PLAIN),
      );

      expect(outcome).toBe("forwarded");
      expect(reason).toContain("the request body contains the credential that the call sent in ");
    });
  },
);

it("a key of words is one, too, and the message suggests a fix", async () => {
  const body = Buffer.from('{"api_key":"a-key-of-words"}');

  const { reason, hint } = await recordCall(await anEngineThat("drop"), searchCall("record", { body }));

  expect(reason).toBe(
    "The response was not recorded: the request body contains the credential that the call sent in api_key of its body. Remove it there and record again.",
  );
  expect(hint).toBe(
    'Set "secrets": "redact" in tapedeck.jsonc to record the call without it, under another key. Set "credentials": {"search":["api_key"]} there to leave it out of keys and recordings.',
  );
});

it("a value that no field of a credential has is recorded by a project that drops", async () => {
  const body = Buffer.from(`page=${KEY}`);
  const headers = [["content-type", "application/x-www-form-urlencoded"]] as const;

  expect(
    (await recordCall(await anEngineThat("drop"), searchCall("record", { body, headers }))).outcome,
  ).toBe("recorded");
});

it("an answer that repeats the key in another form is not recorded, also by a project that redacts", async () => {
  const under = await anEngineThat("redact", `{"echo":"${Buffer.from(` ${KEY} `).toString("hex")}"}`);
  const body = Buffer.from(JSON.stringify({ api_key: KEY }));

  expect(await recordCall(under, searchCall("record", { body }))).toMatchObject({
    outcome: "forwarded",
    reason: expect.stringContaining("response contains"),
  });
});

it.each(["client_secret", "subscription-key", "refresh_token"])(
  "an API with its key in the query parameter %s is recorded and replayed as well",
  async (name) => {
    const under = await anEngineThat("redact");
    const inMode = (mode: Mode, secret: string, page = 2) =>
      recordCall(under, searchCall(mode, { path: `/search?${name}=${secret}&page=${page}` }));

    const { outcome, recording } = await inMode("record", KEY);
    const others = [await inMode("strict", "other"), await inMode("strict", "other", 3)];

    expect([outcome, ...others.map((one) => one.outcome)]).toEqual(["recorded", "replayed", "miss"]);
    expect(recording?.request.path).toBe(`/search?${name}=%5Bredacted%3A%20credential%5D&page=2`);
  },
);
