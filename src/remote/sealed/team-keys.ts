import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from "node:crypto";
import { wrongUsage, type TapedeckError } from "../../core/errors.ts";

/** Signs and checks with the same secret: whoever can check can sign. */
interface SharedKey {
  readonly kind: "hmac-sha256";
  readonly id: string;
  readonly secret: Buffer;
}

/** Signs with the private half; the public half only checks. */
interface PublicKey {
  readonly kind: "ed25519";
  readonly id: string;
  readonly publicKey: KeyObject;
  readonly privateKey?: KeyObject;
}

export type SignatureKey = SharedKey | PublicKey;

/** What objects are signed, checked, and where it is wanted encrypted with. */
export interface TeamKeys {
  /** The first of `trusted` that can sign; undefined where only reading is possible. */
  readonly signing: SignatureKey | undefined;
  /** Whose signature counts, by id. Several while a team goes from one key to the next. */
  readonly trusted: ReadonlyMap<string, SignatureKey>;
  /** What encrypted objects are opened with; the first of them encrypts. */
  readonly encryption: readonly { readonly id: string; readonly key: Buffer }[];
}

const KEY_BYTES = 32;
const FORM = /^(hmac|ed25519-private|ed25519-public|aes-256):([A-Za-z0-9_-]{43})$/;

/**
 * Reads keys of a team: `hmac:…`, `ed25519-private:…`, `ed25519-public:…` and `aes-256:…`, each with 32 bytes in
 * base64url, with spaces, commas or lines between. The first that can sign does; all are trusted. An `hmac` key encrypts
 * too, beside the others an `aes-256` key does.
 * @throws TapedeckError `tapedeck_usage`; it repeats nothing of a key
 */
export function readTeamKeys(text: string): TeamKeys {
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  const keys = words.map((word, index) => {
    const [, kind, encoded = ""] = FORM.exec(word) ?? [];
    const bytes = Buffer.from(encoded, "base64url");
    if (kind === undefined || bytes.byteLength !== KEY_BYTES) throw noKey(index + 1, words.length);
    return { kind, bytes };
  });
  const signatures = keys.flatMap(({ kind, bytes }) => signatureKeyOf(kind, bytes));
  const encryption = keys
    .filter(({ kind }) => kind === "hmac" || kind === "aes-256")
    // A key of its own for each purpose: what one of them does tells nothing of the other.
    .map(({ bytes }) => derive(bytes, "tapedeck object encryption"))
    .map((key) => ({ id: idOf(key), key }));
  return {
    signing: signatures.find((key) => key.kind === "hmac-sha256" || key.privateKey !== undefined),
    // A pair and its public half alone have the same id: whichever is kept checks the same.
    trusted: new Map(signatures.map((key) => [key.id, key])),
    encryption,
  };
}

/** A new key that a team shares: it signs, checks and encrypts. */
export const newSharedKey = (): string => `hmac:${randomBytes(KEY_BYTES).toString("base64url")}`;

/** A new pair: the private half is for who writes, the public half for everybody who reads. */
export function newKeyPair(): { readonly privateKey: string; readonly publicKey: string } {
  const { privateKey } = generateKeyPairSync("ed25519");
  const { d = "", x = "" } = privateKey.export({ format: "jwk" });
  return { privateKey: `ed25519-private:${d}`, publicKey: `ed25519-public:${x}` };
}

/** A new key that encrypts beside a pair. */
export const newEncryptionKey = (): string => `aes-256:${randomBytes(KEY_BYTES).toString("base64url")}`;

function signatureKeyOf(kind: string, bytes: Buffer): SignatureKey[] {
  if (kind === "hmac") {
    const secret = derive(bytes, "tapedeck object signature");
    return [{ kind: "hmac-sha256", id: idOf(secret), secret }];
  }
  if (kind === "ed25519-private") {
    const privateKey = createPrivateKey({
      key: Buffer.concat([PKCS8_ED25519, bytes]),
      format: "der",
      type: "pkcs8",
    });
    const publicKey = createPublicKey(privateKey);
    return [{ kind: "ed25519", id: idOfPublic(publicKey), publicKey, privateKey }];
  }
  if (kind === "ed25519-public") {
    const jwk = { kty: "OKP", crv: "Ed25519", x: bytes.toString("base64url") };
    const publicKey = createPublicKey({ key: jwk, format: "jwk" });
    return [{ kind: "ed25519", id: idOfPublic(publicKey), publicKey }];
  }
  return [];
}

/** What stands before the 32 bytes of a private key. Source: RFC 8410, section 7. */
const PKCS8_ED25519 = Buffer.from("302e020100300506032b657004220420", "hex");

function derive(key: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", key, "", purpose, KEY_BYTES));
}

const idOfPublic = (key: KeyObject): string => idOf(key.export({ format: "der", type: "spki" }));

/** Tells keys apart and tells nothing of them: 64 bits of a hash. */
function idOf(bytes: Buffer): string {
  return createHash("sha256").update("tapedeck key id").update(bytes).digest("hex").slice(0, 16);
}

function noKey(position: number, count: number): TapedeckError {
  const which = count === 1 ? "The team's key" : `Key ${position} of the team's ${count}`;
  return wrongUsage(
    `${which} cannot be read: it is not hmac:, ed25519-private:, ed25519-public: or aes-256: with 32 bytes in base64url after it.`,
    "Copy it whole from where the team keeps it, or make a new one; no part of a key is shown here.",
  );
}
