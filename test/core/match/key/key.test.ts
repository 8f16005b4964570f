import {
  array,
  assert,
  constantFrom,
  dictionary,
  jsonValue,
  nat,
  oneof,
  property,
  record,
  string,
} from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutCredentials } from "../../../../src/core/cassette/recorded-request.ts";
import { listDifferences } from "../../../../src/core/match/differences/differences.ts";
import { computeKey, type Normalizer } from "../../../../src/core/match/key/key.ts";
import { type KeyedRequest } from "../../../../src/core/cassette/recorded-request.ts";
import { casesOf } from "../../../support/cases.ts";
import { loadRecordedTraffic } from "../../../support/recorded-traffic.ts";
import { mutationsOf } from "../mutations.ts";
import { chat, multipart, posted, sha256, tool } from "../requests.ts";

const RESPELLED = casesOf({ quick: 15, long: 300 });

const keyOf = (request: KeyedRequest): string => computeKey(request, sha256);

/** The same value as another text: members in another order, blanks and escapes wherever JSON allows them. */
function respelled(value: unknown, seed: number): string {
  let state = seed;
  const dice = (sides: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 16) % sides;
  };
  const blank = (): string => ["", "", " ", "\n", "\t\r\n "][dice(5)] ?? "";
  const text = (plain: string): string => {
    const units = plain.split("").map((unit) => {
      const escaped = `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
      return dice(4) === 0
        ? dice(2)
          ? escaped
          : escaped.toUpperCase().replace("U", "u")
        : JSON.stringify(unit).slice(1, -1);
    });
    return `"${units.join("")}"`;
  };
  const write = (inner: unknown): string => {
    if (typeof inner === "string") return text(inner);
    if (typeof inner === "number" && Number.isInteger(inner) && Math.abs(inner) < 1e15)
      return `${inner}${["", ".0", "e0"][dice(3)]}`;
    if (typeof inner !== "object" || inner === null) return JSON.stringify(inner);
    const pieces = Array.isArray(inner)
      ? inner.map(write)
      : Object.entries(inner).map(([name, each]) => `${text(name)}${blank()}:${blank()}${write(each)}`);
    if (!Array.isArray(inner)) pieces.sort(() => dice(3) - 1);
    const [open, close] = Array.isArray(inner) ? "[]" : "{}";
    return `${open}${blank()}${pieces.join(`${blank()},${blank()}`)}${blank()}${close}`;
  };
  return blank() + write(value) + blank();
}

const word = oneof(
  string({ minLength: 1, maxLength: 8 }),
  constantFrom("Paris", "weather", "你好", "naïve", "😀"),
);
const sentence = array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(" "));
const chatBody = record({
  model: constantFrom("gpt-4o", "gpt-4o-mini", "o3"),
  temperature: constantFrom(0, 0.2, 0.7, 1),
  messages: array(record({ role: constantFrom("system", "user", "assistant"), content: sentence }), {
    minLength: 2,
    maxLength: 5,
    size: "max",
  }),
  tools: array(
    word.map((name) => tool(name, { city: { type: "string", description: name } })),
    { maxLength: 3, size: "max" },
  ),
  stream: constantFrom(true, false),
  seed: nat(),
});

/** Every mutation of `value` whose key, or whose list of differences, does not tell it from the original. */
function confused(
  value: unknown,
  most: number,
): { readonly tried: number; readonly stale: readonly string[] } {
  const original = chat(value);
  const key = keyOf(original);
  const stale: string[] = [];
  let tried = 0;
  for (const mutation of mutationsOf(value, most)) {
    const request = chat(mutation.value);
    tried += 1;
    if (keyOf(request) === key) stale.push(`same key: ${mutation.what}`);
    if (listDifferences(original, request).length === 0) stale.push(`no difference: ${mutation.what}`);
  }
  return { tried, stale };
}

describe("the message key", () => {
  it("stays the same however a value is spelled, and nothing differs then", () => {
    assert(
      property(
        oneof(jsonValue(), dictionary(string({ unit: "binary" }), jsonValue())),
        nat(),
        (value, seed) => {
          const written = chat(JSON.stringify(value));
          const again = chat(respelled(value, seed));

          expect(keyOf(again)).toBe(keyOf(written));
          expect(listDifferences(written, again)).toEqual([]);
        },
      ),
      { numRuns: RESPELLED },
    );
    console.log(
      `▸ harmless rewritings (order of members, blanks, escapes, spellings of numbers): ${RESPELLED}, 0 misses`,
    );
  });

  it("changes with any word, number, tool or order of a chat request", () => {
    let tried = 0;
    assert(
      property(chatBody, (body) => {
        const found = confused(body, 200);

        tried += found.tried;
        expect(found.stale).toEqual([]);
      }),
      { numRuns: casesOf({ quick: 8, long: 130 }) },
    );
    console.log(`▸ generated chat requests: ${tried} mutations, 0 stale`);

    expect(tried).toBeGreaterThan(casesOf({ quick: 500, long: 10_000 }));
  });

  const traffic = loadRecordedTraffic(({ request }) => request.isMadeUp !== true);
  it("changes with any of them in recorded requests", () => {
    const every = casesOf({ quick: 5, long: 1 });
    const most = casesOf({ quick: 20_000, long: 100_000 });
    const bodies = traffic.exchanges.flatMap(({ request }, index) => {
      if (index % every > 0) return [];
      const text = new TextDecoder().decode(request.body);
      return text.startsWith("{") && text.length < most ? [JSON.parse(text) as unknown] : [];
    });

    const results = bodies.map((body) => confused(body, casesOf({ quick: 6, long: 60 })));

    const tried = results.reduce((sum, result) => sum + result.tried, 0);
    console.log(`▸ ${bodies.length} recorded requests: ${tried} mutations, 0 stale`);
    expect(results.flatMap(({ stale }) => stale)).toEqual([]);
    expect(tried).toBeGreaterThan(casesOf({ quick: 1_000, long: 10_000 }));
  });

  it("keeps provider, operation, method, path and kind of body apart", () => {
    const body = '{"a":1}';
    const requests = [
      chat(body),
      chat(body, { provider: "azure" }),
      chat(body, { operation: "responses" }),
      chat(body, { method: "PUT" }),
      chat(body, { path: "/v2/chat/completions" }),
      chat(body, { path: "/v1/chat/completions?a=1" }),
      chat(body, { provider: 'openai","chat', operation: "completions" }),
      chat(`[${body}]`),
      chat(body, { body: { kind: "empty" } }),
      chat(body, { body: { kind: "bytes", bytes: new TextEncoder().encode(body) } }),
    ];

    expect(new Set(requests.map(keyOf)).size).toBe(requests.length);
  });

  it("hashes the request after normalization", () => {
    const normalize: Normalizer = { body: () => ({ kind: "empty" }), headers: () => undefined };

    expect(computeKey(chat({ date: "today" }), sha256, normalize)).toBe(
      computeKey(chat({ date: "tomorrow" }), sha256, normalize),
    );
  });

  it.each([
    ["/v1/x?b=2&a=1", "/v1/x?a=1&b=2"],
    ["/v1/x?a=2&a=1", "/v1/x?a=1&a=2"],
    ["/v1/x?api_key=AIza1&alt=sse", "/v1/x?alt=sse&api_key=AIza2"],
    ["/v1/x?api_key=1", "/v1/x"],
    ["/v1/x?api%2Dkey=1&access_token=2&apikey=3", "/v1/x?"],
    ["/v1/models/gemini%2d2%2E5", "/v1/models/gemini-2.5"],
    ["/v1/a%3ab?q=%e4%bd%a0", "/v1/a%3Ab?q=%E4%BD%A0"],
  ])("is the same for %s and %s", (a, b) => {
    expect(keyOf(chat({}, { path: a }))).toBe(keyOf(chat({}, { path: b })));
    expect(listDifferences(chat({}, { path: a }), chat({}, { path: b }))).toEqual([]);
  });

  it.each([
    ["/v1/x?a=1", "/v1/x?a=2"],
    ["/v1/x?a=1+2", "/v1/x?a=1%202"],
    ["/v1/x?a", "/v1/x?a="],
    ["/v1/x?keys=1", "/v1/x?keys=2"],
    ["/v1/x%2Fy", "/v1/x/y"],
    ["/v1/X", "/v1/x"],
    ["/v1/x?a=1&a=2", "/v1/x?a=1&a=3"],
  ])("is another for %s and %s", (a, b) => {
    expect(keyOf(chat({}, { path: a }))).not.toBe(keyOf(chat({}, { path: b })));
    expect(listDifferences(chat({}, { path: a }), chat({}, { path: b }))).toHaveLength(1);
  });

  it("can be computed again from what of the address is written to a file", () => {
    const path = "/v1/x?b=%2d&API%2dKEY=secret1&apikey=secret2&a=1&&";
    const written = withoutCredentials(path, "openai");

    expect(written).not.toContain("secret");
    expect(keyOf(chat({}, { path: written }))).toBe(keyOf(chat({}, { path })));
  });
});

describe("the key of a multipart body", () => {
  const field = ['content-disposition: form-data; name="model"', "whisper-1"] as const;
  const file = [
    'Content-Disposition: form-data; name="file"; filename="a.mp3"\r\nContent-Type: AUDIO/mpeg',
    "ID3\r\n--x\r\n",
  ] as const;
  const send = (boundary: string, parts: readonly (readonly [string, string])[]): KeyedRequest =>
    posted(multipart(boundary, parts), `multipart/form-data; boundary=${boundary}`);

  it("leaves the boundary out, and the case of a part's content type", () => {
    const lower = [file[0].replace("AUDIO", "audio"), file[1]] as const;

    expect(keyOf(send("one", [field, file]))).toBe(keyOf(send("two", [field, lower])));
    expect(listDifferences(send("one", [field, file]), send("two", [field, lower]))).toEqual([]);
  });

  it("changes with any part's name, file name, type, content and place", () => {
    const parts = [
      [field, file],
      [file, field],
      [field],
      [[field[0], "whisper-2"], file],
      [[field[0].replace("model", "modal"), field[1]], file],
      [field, [file[0].replace("a.mp3", "b.mp3"), file[1]]],
      [field, [file[0].replace("mpeg", "wav"), file[1]]],
      [field, [file[0], `${file[1]}.`]],
      [field, file, field],
    ] as const;

    const requests = parts.map((each) => send("b", each));

    expect(new Set(requests.map(keyOf)).size).toBe(parts.length);
    const [first] = requests;
    expect(requests.slice(1).map((request) => listDifferences(first!, request).length)).not.toContain(0);
  });

  it.each([
    ["multipart/form-data", "its content type has no boundary"],
    ["multipart/form-data; boundary=other", "its boundary is not in the body"],
    ['multipart/form-data; boundary="cut"', "part 1 has no end"],
    ["multipart/form-data; boundary=headless", "the headers of part 1 have no end"],
  ])("is refused when the body does not match %s", (contentType, reason) => {
    const request = posted(
      "--cut\r\na: b\r\n\r\nhalf a part\r\n--headless\r\na: b\r\n--headless--\r\n",
      contentType,
    );

    expect(() => keyOf(request)).toThrow(`the body is not multipart: ${reason}`);
  });

  it("reads parts without headers, without content, and text around them", () => {
    const body = "before\r\n--b\r\n\r\nbare\r\n--b \r\na: b\r\n\r\n\r\n--b--\r\nafter";
    const same = "--c\r\n\r\nbare\r\n--c\r\na: b\r\n\r\n--c--";

    const keys = [
      posted(body, "multipart/mixed; boundary=b"),
      posted(same, "Multipart/Mixed; boundary=c"),
    ].map(keyOf);

    expect(keys[0]).toBe(keys[1]);
  });
});
