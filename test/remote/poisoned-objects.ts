import { createHash, createHmac } from "node:crypto";
import { newKeyPair, newSharedKey, readTeamKeys, type TeamKeys } from "../../src/remote/sealed/team-keys.ts";
import { sealObject } from "../../src/remote/sealed/seal.ts";
import type { Random } from "../support/seeded.ts";

/** What somebody has who can write to a remote and has no key of the team: objects that were rightly signed, and time. */
export interface Poisoner {
  /** A rightly signed object of another name. */
  readonly other: Uint8Array;
  /** The same name in the scope of untrusted runs, signed with their own key. */
  readonly untrusted: Uint8Array;
  /** The team's public halves, which are no secret. */
  readonly publicKey: string;
  readonly random: Random;
}

const OWN_KEYS = readTeamKeys(newSharedKey());
const OWN_PAIR = readTeamKeys(newKeyPair().privateKey);

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

type Poison = (name: string, good: Uint8Array, poisoner: Poisoner) => Uint8Array;

/** Every way to put another thing in the place of an object, by name. */
export const POISONS: Readonly<Record<string, Poison>> = {
  "one byte is another": (_, good, { random }) => {
    const bytes = Buffer.from(good);
    const at = below(random, bytes.byteLength);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << below(random, 8));
    return bytes;
  },
  "cut off": (_, good, { random }) => good.subarray(0, below(random, good.byteLength)),
  "more at its end": (_, good, { random }) =>
    Buffer.concat([good, Buffer.alloc(1 + below(random, 50), below(random, 256))]),
  "a part of it is gone": (_, good, { random }) => {
    const at = below(random, good.byteLength - 1);
    return Buffer.concat([
      good.subarray(0, at),
      good.subarray(at + 1 + below(random, good.byteLength - at - 1)),
    ]);
  },
  "an object of another name": (_, __, { other }) => other,
  "an object of the untrusted scope": (_, __, { untrusted }) => untrusted,
  "the line of one and the bytes of another": (_, good, { other }) =>
    Buffer.concat([lineOf(good), bodyOf(other)]),
  "the name of this in the line of another": (name, _, { other }) => withWord(other, 2, name),
  "another name in its line": (_, good) => withWord(good, 2, "trusted/calls/openai/00/else.json"),
  "other bytes with their hash": (_, good) => rehashed(good, Buffer.from('{"reply":"poison"}')),
  "no signature": (_, good) => withoutLast(good),
  "no signature, other bytes": (_, good) => withoutLast(rehashed(good, Buffer.from("poison"))),
  "an empty signature": (_, good) => withWord(good, 5, (word) => word.replace(/[^:]*$/, "")),
  "a signature of another's key": (name) => sealObject(name, Buffer.from("poison"), OWN_KEYS),
  "a signature of another's pair": (name) => sealObject(name, Buffer.from("poison"), OWN_PAIR),
  "a signature of another's key that says it is the team's": (name, good) =>
    withWord(sealObject(name, Buffer.from("poison"), OWN_KEYS), 5, (word) => withIdOf(word, good)),
  "a signature of another's pair that says it is the team's": (name, good) =>
    withWord(sealObject(name, Buffer.from("poison"), OWN_PAIR), 5, (word) => withIdOf(word, good)),
  "the public key as a shared secret": (_, good, { publicKey }) => {
    const forged = rehashed(good, Buffer.from("poison"));
    const line = lineOf(forged).toString("latin1").trimEnd().split(" ");
    const [, id = ""] = (line[5] ?? "").split(":");
    const secret = Buffer.from(publicKey.split(":")[1] ?? "", "base64url");
    const signature = createHmac("sha256", secret).update(line.slice(0, 5).join(" ")).digest("base64url");
    return withWord(forged, 5, `hmac-sha256:${id}:${signature}`);
  },
  "its signature in another spelling": (_, good) =>
    withWord(good, 5, (word) => word.slice(0, -1) + ALPHABET.charAt(ALPHABET.indexOf(word.slice(-1)) ^ 1)),
  "another cipher in its line": (_, good) =>
    withWord(good, 3, (word) => (word === "plain" ? "aes-256-gcm:0123456789abcdef" : "plain")),
  "an earlier format": (_, good) => withWord(good, 1, "0"),
  "a later format": (_, good) => withWord(good, 1, "2"),
  "not ours": (_, __, { random }) => Buffer.from(`{"reply":${below(random, 1_000)}}`),
  nothing: () => Buffer.alloc(0),
  "two lines": (_, good) => Buffer.concat([lineOf(good), good]),
  "a line without end": (_, good) =>
    Buffer.from(lineOf(good).toString("latin1").trimEnd().padEnd(5_000, " ")),
};

function lineOf(sealed: Uint8Array): Buffer {
  return Buffer.from(sealed.subarray(0, sealed.indexOf(10) + 1));
}

function bodyOf(sealed: Uint8Array): Uint8Array {
  return sealed.subarray(sealed.indexOf(10) + 1);
}

function withWord(sealed: Uint8Array, index: number, word: string | ((word: string) => string)): Uint8Array {
  const words = lineOf(sealed).toString("latin1").trimEnd().split(" ");
  words[index] = typeof word === "string" ? word : word(words[index] ?? "");
  return Buffer.concat([Buffer.from(`${words.join(" ")}\n`, "latin1"), bodyOf(sealed)]);
}

function withoutLast(sealed: Uint8Array): Uint8Array {
  const words = lineOf(sealed).toString("latin1").trimEnd().split(" ").slice(0, 5);
  return Buffer.concat([Buffer.from(`${words.join(" ")}\n`, "latin1"), bodyOf(sealed)]);
}

function rehashed(sealed: Uint8Array, body: Uint8Array): Uint8Array {
  const hash = createHash("sha256").update(body).digest("hex");
  return Buffer.concat([lineOf(withWord(sealed, 4, hash)), body]);
}

function withIdOf(word: string, sealed: Uint8Array): string {
  const own = (lineOf(sealed).toString("latin1").trimEnd().split(" ")[5] ?? "").split(":");
  return [own[0], own[1], word.split(":")[2]].join(":");
}

/** Keys of a team of each kind, with what reads what they sign. */
export function teams(): readonly {
  readonly kind: string;
  readonly writer: TeamKeys;
  readonly reader: TeamKeys;
  readonly publicKey: string;
}[] {
  const { privateKey, publicKey } = newKeyPair();
  const shared = newSharedKey();
  return [
    { kind: "hmac", writer: readTeamKeys(shared), reader: readTeamKeys(shared), publicKey },
    { kind: "ed25519", writer: readTeamKeys(privateKey), reader: readTeamKeys(publicKey), publicKey },
  ];
}

function below(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}
