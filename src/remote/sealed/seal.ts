import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  randomBytes,
  sign,
  timingSafeEqual,
  verify,
} from "node:crypto";
import { wrongUsage } from "../../core/errors.ts";
import { sha256 } from "../../storage/folder/sha256.ts";
import { expectName, isObjectName, MOST_BYTES } from "../remote-store.ts";
import type { SignatureKey, TeamKeys } from "./team-keys.ts";

/**
 * An object of a remote is one line and then the bytes of the folder's file, or these encrypted:
 *
 *     tapedeck-object 1 <name> <cipher> <SHA-256 of what follows> <signature's kind>:<key id>:<signature>
 *
 * The signature covers everything before it in the line, and by the hash the bytes: scope, name, cipher and content.
 */
const MAGIC = "tapedeck-object ";
const FORMAT = "1";
const PLAIN = "plain";
/** Longest line that is read, in bytes. */
const MOST_LINE = 2_048;
const LINE_END = 0x0a;

/** Why an object is not used. */
export type ObjectRefusal =
  /** Nothing that Tapedeck wrote. */
  | "not-ours"
  /** Written by a later Tapedeck. */
  | "newer-format"
  /** Cut off, or bytes of it are others. */
  | "damaged"
  | "unsigned"
  /** Signed with a key that is not among those trusted here. */
  | "unknown-key"
  | "wrong-signature"
  /** Rightly signed, for another name or scope. */
  | "elsewhere"
  /** Encrypted with a key that is not at hand. */
  | "locked";

export interface SealOptions {
  readonly encrypt?: boolean;
}

/**
 * Wraps the bytes of a file for a remote: format, name, SHA-256 and signature; encrypted (AES-256-GCM) where that is asked.
 * @throws TapedeckError `tapedeck_usage` where no key can sign or encrypt
 */
export function sealObject(
  name: string,
  bytes: Uint8Array,
  keys: TeamKeys,
  { encrypt = false }: SealOptions = {},
): Uint8Array {
  expectName(name);
  const { signing } = keys;
  if (signing === undefined) throw noSigningKey();
  const { cipher, body } = encrypt ? encryptBody(name, bytes, keys) : { cipher: PLAIN, body: bytes };
  const signed = [`${MAGIC}${FORMAT}`, name, cipher, sha256(body)].join(" ");
  const line = `${signed} ${signing.kind}:${signing.id}:${signatureOf(signed, signing)}\n`;
  const sealed = Buffer.concat([Buffer.from(line, "latin1"), body]);
  if (sealed.byteLength > MOST_BYTES)
    throw wrongUsage(`${name} is larger than 256 MiB.`, "It stays local; others are not affected.");
  return sealed;
}

/** The bytes that were sealed under this name by a key that is trusted here, or why there are none. */
export function openObject(
  name: string,
  sealed: Uint8Array,
  keys: TeamKeys,
): { readonly bytes: Uint8Array } | { readonly refused: ObjectRefusal } {
  const read = readSealed(sealed);
  if ("refused" in read) return read;
  const { signed, name: signedName, cipher, body, signature } = read;
  if (signature === undefined) return { refused: "unsigned" };
  const key = keys.trusted.get(signature.id);
  if (key === undefined || key.kind !== signature.kind) return { refused: "unknown-key" };
  if (!isSignatureOf(signed, signature.bytes, key)) return { refused: "wrong-signature" };
  if (signedName !== name) return { refused: "elsewhere" };
  return cipher === PLAIN ? { bytes: body } : decryptBody(name, cipher, body, keys);
}

interface Sealed {
  /** The part of the line that the signature covers. */
  readonly signed: string;
  readonly name: string;
  readonly cipher: string;
  readonly body: Uint8Array;
  readonly signature: { readonly kind: string; readonly id: string; readonly bytes: Buffer } | undefined;
}

const LINE =
  /^(tapedeck-object 1 (\S+) (plain|aes-256-gcm:[0-9a-f]{16}) ([0-9a-f]{64}))(?: (hmac-sha256|ed25519):([0-9a-f]{16}):([A-Za-z0-9_-]{1,100}))?$/;

function readSealed(sealed: Uint8Array): Sealed | { readonly refused: ObjectRefusal } {
  const start = Buffer.from(sealed.buffer, sealed.byteOffset, Math.min(sealed.byteLength, MOST_LINE));
  const begun = start.toString("latin1", 0, MAGIC.length);
  if (begun !== MAGIC) return { refused: MAGIC.startsWith(begun) ? "damaged" : "not-ours" };
  const version = /^[0-9]+(?= )/.exec(start.toString("latin1", MAGIC.length))?.[0];
  // A version that was cut or changed is none: a later one is told by its number alone.
  if (version === undefined || Number(version) < Number(FORMAT)) return { refused: "damaged" };
  if (version !== FORMAT) return { refused: "newer-format" };
  const end = start.indexOf(LINE_END);
  const found = end === -1 ? null : LINE.exec(start.toString("latin1", 0, end));
  if (found === null) return { refused: "damaged" };
  const [, signed = "", name = "", cipher = "", hash, kind, id = "", signature = ""] = found;
  const body = sealed.subarray(end + 1);
  if (!isObjectName(name) || sha256(body) !== hash) return { refused: "damaged" };
  const bytes = Buffer.from(signature, "base64url");
  // Spelled in another way it would still be the same signature: one object, one spelling.
  if (bytes.toString("base64url") !== signature) return { refused: "damaged" };
  return { signed, name, cipher, body, signature: kind === undefined ? undefined : { kind, id, bytes } };
}

function signatureOf(signed: string, key: SignatureKey): string {
  const text = Buffer.from(signed, "latin1");
  if (key.kind === "hmac-sha256") return createHmac("sha256", key.secret).update(text).digest("base64url");
  if (key.privateKey === undefined) throw noSigningKey();
  return sign(null, text, key.privateKey).toString("base64url");
}

function isSignatureOf(signed: string, signature: Buffer, key: SignatureKey): boolean {
  const text = Buffer.from(signed, "latin1");
  if (key.kind === "ed25519") return verify(null, text, key.publicKey, signature);
  const expected = createHmac("sha256", key.secret).update(text).digest();
  return signature.byteLength === expected.byteLength && timingSafeEqual(signature, expected);
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The body is nonce, encrypted bytes and tag. The name takes part, so that no other object's body opens in its place. */
function encryptBody(name: string, bytes: Uint8Array, keys: TeamKeys): { cipher: string; body: Uint8Array } {
  const [own] = keys.encryption;
  if (own === undefined) throw noEncryptionKey();
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", own.key, nonce).setAAD(Buffer.from(name, "latin1"));
  const body = Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  return { cipher: `aes-256-gcm:${own.id}`, body };
}

function decryptBody(
  name: string,
  cipher: string,
  body: Uint8Array,
  keys: TeamKeys,
): { readonly bytes: Uint8Array } | { readonly refused: ObjectRefusal } {
  const own = keys.encryption.find(({ id }) => cipher === `aes-256-gcm:${id}`);
  if (own === undefined) return { refused: "locked" };
  if (body.byteLength < NONCE_BYTES + TAG_BYTES) return { refused: "damaged" };
  const decipher = createDecipheriv("aes-256-gcm", own.key, body.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(name, "latin1")).setAuthTag(body.subarray(-TAG_BYTES));
  try {
    return {
      bytes: Buffer.concat([decipher.update(body.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]),
    };
  } catch {
    // Rightly signed and not to be opened: whoever signed it encrypted it otherwise.
    return { refused: "damaged" };
  }
}

function noSigningKey(): Error {
  return wrongUsage(
    "Nothing can be sent to the remote: no key of the team that signs is at hand.",
    "Set TAPEDECK_REMOTE_KEY to the team's hmac: or ed25519-private: key; a public key only reads.",
  );
}

function noEncryptionKey(): Error {
  return wrongUsage(
    "Nothing can be encrypted for the remote: no key of the team that encrypts is at hand.",
    "Add an hmac: or aes-256: key of the team to TAPEDECK_REMOTE_KEY, or send without encryption.",
  );
}

/** What an object's refusal means to a person, and what to do: the end of the sentence "trusted/calls/… on … ". */
const REFUSALS: Readonly<Record<ObjectRefusal, { readonly what: string; readonly hint: string }>> = {
  "not-ours": {
    what: "is nothing that Tapedeck wrote",
    hint: "Remove it there, or give Tapedeck a prefix of its own.",
  },
  "newer-format": {
    what: "was written by a later version of Tapedeck",
    hint: "Update Tapedeck here to use it.",
  },
  damaged: {
    what: "is damaged: its bytes are not those that were sent",
    hint: "Remove it there and push it again from where the recording is.",
  },
  unsigned: {
    what: "is not signed",
    hint: "Find out who wrote it. Remove it there and push the recording with the team's key.",
  },
  "unknown-key": {
    what: "is signed with a key that is not trusted here",
    hint: "Where that key is one of the team's, add it to TAPEDECK_REMOTE_KEY. Else find out who wrote it, and remove it.",
  },
  "wrong-signature": {
    what: "has a wrong signature: it was changed by someone without the team's key",
    hint: "Find out who can write there, and remove it.",
  },
  elsewhere: {
    what: "was signed for another name or scope and put here",
    hint: "Find out who can write there, and remove it.",
  },
  locked: {
    what: "is encrypted with a key that is not at hand",
    hint: "Add the team's key for it to TAPEDECK_REMOTE_KEY.",
  },
};

/** Says why an object was not used, and what to do: two sentences or three. */
export function describeRefusal(remote: string, object: string, refused: ObjectRefusal): string {
  const { what, hint } = REFUSALS[refused];
  return `${object} on ${remote} ${what}. It was not used. ${hint}`;
}
