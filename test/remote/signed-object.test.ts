import { describe, expect, it } from "vitest";
import { explain } from "../../src/core/base/errors.ts";
import { openObject, signObject } from "../../src/remote/signed-object.ts";
import { createKeyPair, readTeamKeys } from "../../src/remote/team-keys.ts";
import { casesOf } from "../support/cases.ts";
import { seeded } from "../support/seeded.ts";

const NAME = "calls/openai/ab/abcd.takes";
const CONTENT = Buffer.from('{"takes":[]}\nsecond line');
const pair = createKeyPair();
const writer = readTeamKeys(pair.privateKey);
const reader = readTeamKeys(pair.publicKey);
const signed = signObject(NAME, CONTENT, writer);

describe("a signed object", () => {
  it("is verified with the public key, and with the private one", () => {
    expect(openObject(NAME, signed, reader)).toEqual({ content: CONTENT });
    expect(openObject(NAME, signed, writer)).toEqual({ content: CONTENT });
  });

  it("cannot be signed with the public key", () => {
    expect(() => signObject(NAME, CONTENT, reader)).toThrow("has no private key");
  });

  it("counts under no other name", () => {
    expect(openObject("calls/openai/ab/other.takes", signed, reader)).toEqual({
      refused: `was signed under another name, ${NAME}`,
    });
  });

  it.each([
    ["garbage", Buffer.from("garbage"), "is not signed"],
    ["empty", Buffer.alloc(0), "is not signed"],
    ["without its signature", Buffer.from("tapedeck-team 1 a b\n{}"), "is not signed"],
    [
      "of a later version",
      Buffer.from("tapedeck-team 2 anything\n{}"),
      "was written by a later version of Tapedeck",
    ],
    [
      "with another content",
      Buffer.concat([signed, Buffer.from(" ")]),
      "does not have the content that was signed",
    ],
    [
      "signed with another key",
      signObject(NAME, CONTENT, readTeamKeys(createKeyPair().privateKey)),
      "that is not trusted here",
    ],
  ])("is refused: %s", (_, object, why) => {
    expect(openObject(NAME, object, reader)).toEqual({ refused: expect.stringContaining(why) });
  });

  it("is refused whatever byte of it is changed", () => {
    const random = seeded(1);
    for (let round = 0; round < casesOf({ quick: 200, long: 5_000 }); round += 1) {
      const changed = Buffer.from(signed);
      const at = Math.floor(random() * changed.length);
      changed[at] = (changed[at] ?? 0) ^ (1 << Math.floor(random() * 8));

      expect(openObject(NAME, changed, reader)).not.toHaveProperty("content");
    }
  });
});

describe("the keys of a team", () => {
  it("may be several while one is replaced: the first private one signs, all are trusted", () => {
    const next = createKeyPair();
    const both = readTeamKeys(` ${pair.publicKey},\n${next.privateKey} `);

    expect(openObject(NAME, signed, both)).toEqual({ content: CONTENT });
    expect(openObject(NAME, signObject(NAME, CONTENT, both), readTeamKeys(next.publicKey))).toEqual({
      content: CONTENT,
    });
  });

  it.each(["hmac:abc", "ed25519-private:short", `${pair.privateKey}x`, "secret-words"])(
    "that cannot be read are not repeated: %s",
    (text) => {
      const failure = (): string => {
        try {
          return String(readTeamKeys(text));
        } catch (error) {
          return explain(error);
        }
      };

      expect(failure()).toMatch(/^The key of the team cannot be read/);
      expect(failure()).not.toContain(text);
    },
  );
});
