import { localize } from "../core/base/localize.ts";
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import { createWrongUsage } from "../core/base/errors.ts";

/** The keys with which objects are signed and verified (Ed25519). */
export interface TeamKeys {
  /** The first private key; undefined if there are only public ones, with which nothing can be written. */
  readonly signing: { readonly id: string; readonly privateKey: KeyObject } | undefined;
  /** Public keys by id. There are several while a team changes its key. */
  readonly trusted: ReadonlyMap<string, KeyObject>;
}

const KEY_BYTES = 32;
const FORM = /^(ed25519-private|ed25519-public):([A-Za-z0-9_-]{43})$/;
/** The bytes before the 32 of a private key. Source: RFC 8410, section 7. */
const PKCS8_HEAD = Buffer.from("302e020100300506032b657004220420", "hex");

/**
 * Reads keys of a team, separated by blanks, commas, or line ends: `ed25519-private:…` and `ed25519-public:…`, each with
 * 32 bytes in base64url. A private key also verifies.
 * @throws TapedeckError `tapedeck_usage`; it repeats nothing of a key
 */
export function readTeamKeys(text: string): TeamKeys {
  let signing: TeamKeys["signing"];
  const trusted = new Map<string, KeyObject>();
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  for (const [index, word] of words.entries()) {
    const [, kind, encoded = ""] = FORM.exec(word) ?? [];
    const bytes = Buffer.from(encoded, "base64url");
    if (kind === undefined || bytes.byteLength !== KEY_BYTES) throw notAKey(index + 1, words.length);
    const privateKey = kind === "ed25519-private" ? privateKeyOf(bytes) : undefined;
    const publicKey = createPublicKey(privateKey ?? { key: jwkOf(bytes), format: "jwk" });
    const id = idOf(publicKey);
    trusted.set(id, publicKey);
    if (privateKey !== undefined) signing ??= { id, privateKey };
  }
  return { signing, trusted };
}

/** Makes a new pair: the private key for everyone who writes, the public one for everyone who only reads. */
export function createKeyPair(): { readonly privateKey: string; readonly publicKey: string } {
  const { d = "", x = "" } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
  return { privateKey: `ed25519-private:${d}`, publicKey: `ed25519-public:${x}` };
}

const privateKeyOf = (bytes: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, bytes]), format: "der", type: "pkcs8" });

const jwkOf = (bytes: Buffer) => ({ kty: "OKP", crv: "Ed25519", x: bytes.toString("base64url") });

/** 64 bits of a hash: enough to tell the keys of a team apart. */
const idOf = (key: KeyObject): string =>
  createHash("sha256")
    .update(key.export({ format: "der", type: "spki" }))
    .digest("hex")
    .slice(0, 16);

function notAKey(position: number, count: number): Error {
  const which =
    count === 1 ? localize("The key of the team") : localize("Team key {0} of {1}", position, count);
  return createWrongUsage(
    localize(
      "{0} cannot be read: it must be ed25519-private: or ed25519-public: followed by 32 bytes in base64url.",
      which,
    ),
    localize("Copy the whole key, or create a new pair with tapedeck team key. Keys are never shown here."),
  );
}
