import { describe, expect, it } from "vitest";
import { openObject, sealObject, type ObjectRefusal, describeRefusal } from "../../src/remote/sealed/seal.ts";
import {
  newEncryptionKey,
  newKeyPair,
  newSharedKey,
  readTeamKeys,
} from "../../src/remote/sealed/team-keys.ts";
import { aKey } from "./a-remote.ts";
import { teams } from "./poisoned-objects.ts";

const NAME = `trusted/calls/openai/${aKey("call")}.json`;
const BYTES = Buffer.from('{\n  "reply": "ä"\n}\n');

describe.each(teams())("an object signed with $kind", ({ writer, reader }) => {
  it("opens under its name, byte for byte", () => {
    expect(openObject(NAME, sealObject(NAME, BYTES, writer), reader)).toEqual({ bytes: BYTES });
    expect(openObject(NAME, sealObject(NAME, Buffer.alloc(0), writer), reader)).toEqual({
      bytes: Buffer.alloc(0),
    });
  });

  it("is one line of text before the bytes of the file", () => {
    const [line = "", ...rest] = Buffer.from(sealObject(NAME, BYTES, writer))
      .toString()
      .split("\n");

    expect(line).toMatch(
      /^tapedeck-object 1 trusted\/\S+\.json plain [0-9a-f]{64} (?:hmac-sha256|ed25519):[0-9a-f]{16}:\S+$/,
    );
    expect(rest.join("\n")).toBe(BYTES.toString());
  });

  it("opens neither under another name nor in another scope, and says that it was put there", () => {
    const sealed = sealObject(NAME, BYTES, writer);

    expect(openObject(NAME.replace(".json", ".2.json"), sealed, reader)).toEqual({ refused: "elsewhere" });
    expect(openObject(NAME.replace("trusted/", "untrusted/"), sealed, reader)).toEqual({
      refused: "elsewhere",
    });
    expect(openObject(NAME, sealObject(`untrusted${NAME.slice(7)}`, BYTES, writer), reader)).toEqual({
      refused: "elsewhere",
    });
  });

  it("says why one is not used", () => {
    const sealed = Buffer.from(sealObject(NAME, BYTES, writer));
    const text = sealed.toString("latin1");
    const changed = Buffer.from(text.replace(/.$/s, "x"), "latin1");
    const cases: readonly (readonly [ObjectRefusal, Uint8Array])[] = [
      ["not-ours", Buffer.from('{"format":1}')],
      ["newer-format", Buffer.from(text.replace("tapedeck-object 1", "tapedeck-object 23"), "latin1")],
      ["damaged", sealed.subarray(0, 5)],
      ["damaged", sealed.subarray(0, 40)],
      ["damaged", sealed.subarray(0, -1)],
      ["damaged", changed],
      ["damaged", Buffer.alloc(0)],
      ["unsigned", Buffer.from(text.replace(/ [^ \n]*\n/, "\n"), "latin1")],
      ["unknown-key", sealObject(NAME, BYTES, readTeamKeys(newSharedKey()))],
      ["wrong-signature", Buffer.from(text.replace(" plain ", " aes-256-gcm:0123456789abcdef "), "latin1")],
    ];

    for (const [refused, bytes] of cases) expect(openObject(NAME, bytes, reader)).toEqual({ refused });
  });
});

describe("keys of a team", () => {
  it("go from one to the next: several are trusted, the first signs", () => {
    const [old, next] = [newSharedKey(), newSharedKey()];
    const byOld = sealObject(NAME, BYTES, readTeamKeys(old));
    const both = readTeamKeys(`${next}\n${old}`);

    expect(openObject(NAME, byOld, both)).toEqual({ bytes: BYTES });
    expect(openObject(NAME, sealObject(NAME, BYTES, both), readTeamKeys(next))).toEqual({ bytes: BYTES });
    expect(openObject(NAME, byOld, readTeamKeys(next))).toEqual({ refused: "unknown-key" });
  });

  it("a public key reads and does not sign", () => {
    const keys = readTeamKeys(newKeyPair().publicKey);

    expect(() => sealObject(NAME, BYTES, keys)).toThrow("no key of the team that signs is at hand");
  });

  it("without any, nothing is trusted", () => {
    const sealed = sealObject(NAME, BYTES, readTeamKeys(newSharedKey()));

    expect(openObject(NAME, sealed, readTeamKeys(""))).toEqual({ refused: "unknown-key" });
  });

  it.each(["hmac:short", "hmac:", newSharedKey().slice(5), `${newSharedKey()}x`, "aes-256", "rsa:AAAA"])(
    "one that cannot be read is refused, and not repeated",
    (text) => {
      const error = failureOf(() => readTeamKeys(text));

      expect(error).toContain("The team's key cannot be read");
      expect(error).not.toContain(text.slice(10) || "not to be found");
    },
  );

  it("of several, the one that cannot be read is named by its place", () => {
    expect(failureOf(() => readTeamKeys(`${newSharedKey()}, oops`))).toContain("Key 2 of the team's 2");
  });
});

describe("an encrypted object", () => {
  const shared = newSharedKey();
  const pair = newKeyPair();
  const extra = newEncryptionKey();

  it.each([
    ["a shared key", shared, shared],
    ["a pair and a key beside it", `${pair.privateKey} ${extra}`, `${pair.publicKey} ${extra}`],
  ])("with %s shows nothing of its bytes and opens for the team", (_, writer, reader) => {
    const sealed = sealObject(NAME, BYTES, readTeamKeys(writer), { encrypt: true });

    expect(Buffer.from(sealed).toString("latin1")).not.toContain("reply");
    expect(openObject(NAME, sealed, readTeamKeys(reader))).toEqual({ bytes: BYTES });
  });

  it("is never the same twice", () => {
    const [one, other] = [1, 2].map(() => sealObject(NAME, BYTES, readTeamKeys(shared), { encrypt: true }));

    expect(one).not.toEqual(other);
  });

  it("without the key for it says that it is locked", () => {
    const sealed = sealObject(NAME, BYTES, readTeamKeys(`${pair.privateKey} ${extra}`), { encrypt: true });

    expect(openObject(NAME, sealed, readTeamKeys(pair.publicKey))).toEqual({ refused: "locked" });
    expect(() => sealObject(NAME, BYTES, readTeamKeys(pair.privateKey), { encrypt: true })).toThrow(
      "no key of the team that encrypts is at hand",
    );
  });
});

it("each refusal is told with what to do", () => {
  const all: readonly ObjectRefusal[] = [
    "not-ours",
    "newer-format",
    "damaged",
    "unsigned",
    "unknown-key",
    "wrong-signature",
    "elsewhere",
    "locked",
  ];

  const texts = all.map((refused) => describeRefusal("s3://team", "trusted/a.json", refused));

  expect(new Set(texts).size).toBe(all.length);
  for (const text of texts)
    expect(text).toMatch(/^trusted\/a\.json on s3:\/\/team .+\. It was not used\. .+\.$/);
});

function failureOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return String(error);
  }
  throw new Error("nothing failed");
}
