import { describe, expect, it } from "vitest";
import { loadScanner } from "../../../src/core/secrets/load-scanner.ts";
import { secretsIn } from "../../../src/core/secrets/readings.ts";
import { placeholderOf, shownSecret } from "../../../src/core/secrets/scanner.ts";
import { madeUpSecrets, said } from "../../support/made-up-secrets.ts";

const scan = await loadScanner();
const kinds = Object.entries(madeUpSecrets());

describe("a text", () => {
  it.each(kinds)("with a made-up %s holds it and nothing else", (kind, secret) => {
    const found = scan(`use ${said(kind, secret)} there`);

    expect(found).toEqual([{ kind, value: secret }]);
  });

  it.each([
    ["sk-proj-abcdefghijklmnopqrstuvwx"],
    ["sk-ant-api03-abcdefghijklmnopqrstuvwx"],
    ["sk-or-v1-0123456789abcdef0123456789abcdef"],
    ["-----BEGIN RSA PRIVATE KEY-----"],
  ])("with %s, shorter than its issuer's keys are, holds a secret", (secret) => {
    expect(scan(`x ${secret} y`).map(({ value }) => value)).toEqual([secret]);
  });

  it("of ordinary words, hashes, ids, examples and placeholders holds none", () => {
    const text = [
      `task-force risk-averse chatcmpl-${"a1".repeat(16)} sha256:${"0f".repeat(32)} toolu_01${"Ab".repeat(11)}`,
      "AKIAIOSFODNN7EXAMPLE postgres://user:password@localhost/db https://example.com/a?b=c",
      ...kinds.map(([kind]) => said(kind, placeholderOf({ kind }))),
    ];

    expect(scan(text.join("\n"))).toEqual([]);
  });

  it("cannot switch the search off by what it says", () => {
    const [, secret = ""] = kinds[0] ?? [];

    expect(scan(`// secretlint-disable\n${secret}`)).toHaveLength(1);
  });

  it("is searched without what is allowed", async () => {
    const [first = "", second = ""] = kinds.map(([, secret]) => secret);
    const other = await loadScanner((value) => value === first);

    expect(other(`${first} ${second}`).map(({ value }) => value)).toEqual([second]);
  });

  it("is searched in time that grows with its length alone", () => {
    const hostile = [
      "sk-ant-",
      "-----BEGIN PRIVATE KEY-----",
      "postgres://a:",
      "ey".repeat(9),
      "https://a:b@",
    ];

    const texts = hostile.map((piece) => piece.repeat(300_000 / piece.length));

    expect(texts.map((text) => scan(text).length < 10_000)).not.toContain(false);
  });
});

describe("what a text holds in another form", () => {
  it.each(kinds)("is found: a %s in JSON within JSON, in base64 and in a URL", (kind, secret) => {
    const text = said(kind, secret);
    const json = JSON.stringify({ arguments: JSON.stringify({ value: text }) });
    const base64 = ["", "x", "xy"].map((before) => Buffer.from(`${before} ${text} y`).toString("base64"));
    const url = `q=${encodeURIComponent(text)}`;

    const values = [json, ...base64, `data:text/plain;base64,${base64[0]}`, url].map((one) => {
      const { plain, encoded } = secretsIn(one, scan);
      return [...plain, ...encoded].map(({ value }) => value);
    });

    expect(values.filter((found) => !found.includes(secret))).toEqual([]);
  });
});

it("shows of a secret four characters and its length", () => {
  const shown = shownSecret({ kind: "OpenAI key", value: "sk-proj-0123456789" });

  expect(shown).toBe('an OpenAI key ("sk-p"…, 18 characters)');
});
