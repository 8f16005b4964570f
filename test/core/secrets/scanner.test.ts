import { describe, expect, it, vi } from "vitest";
import { loadScanner } from "../../../src/core/secrets/load-scanner.ts";
import { createOwnScanner } from "../../../src/storage/local/own-scanner.ts";
import { madeUpSecrets } from "../../support/made-up-secrets.ts";

const scan = await loadScanner();
const kinds = Object.entries(madeUpSecrets());

describe("a text", () => {
  it.each([
    ["sk-proj-abcdefghijklmnopqrstuvwx"],
    ["sk-ant-api03-abcdefghijklmnopqrstuvwx"],
    ["sk-or-v1-0123456789abcdef0123456789abcdef"],
    ["-----BEGIN RSA PRIVATE KEY-----"],
  ])("with %s, shorter than its issuer's keys are, holds a secret", (secret) => {
    expect(scan(`x ${secret} y`).map(({ value }) => value)).toEqual([secret]);
  });

  it("of a form has the secret in the field that is named after it", () => {
    const form = '--b\r\nContent-Disposition: form-data; name="api_key"\r\n\r\nq8Zt4Lw1Vb6Xp0Rk\r\n--b--\r\n';

    expect(scan(form).map(({ value }) => value)).toEqual(["q8Zt4Lw1Vb6Xp0Rk"]);
  });

  it("cannot switch the search off by its content", () => {
    const [, secret = ""] = kinds[0] ?? [];

    expect(scan(`// secretlint-disable\n${secret}`)).toHaveLength(1);
  });

  it("is searched without what is allowed", async () => {
    const [first = "", second = ""] = kinds.map(([, secret]) => secret);
    const other = await loadScanner((value) => value === first);

    expect(other(`${first} ${second}`).map(({ value }) => value)).toEqual([second]);
  });
});

it("a value that a variable of the environment names is found in its spellings", async () => {
  const value = "m7Qw2Zr9/Kd4+Xp8Lt1Vb6=";
  vi.stubEnv("BILLING_SERVICE_TOKEN", value);
  const known = await createOwnScanner();
  vi.unstubAllEnvs();
  const spellings = [
    value,
    encodeURIComponent(value),
    Buffer.from(value).toString("hex"),
    ...["", "x", "xy"].map((before) => Buffer.from(`${before}${value} and more`).toString("base64")),
    Buffer.from(`a ${value} b`).toString("base64url"),
  ];

  expect(spellings.map((text) => known(`{"note":"${text}"}`).length)).toEqual(spellings.map(() => 1));
});
