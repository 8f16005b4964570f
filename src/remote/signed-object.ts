import { localize } from "../core/base/localize.ts";
import { sign, verify } from "node:crypto";
import { createWrongUsage } from "../core/base/errors.ts";
import { computeSha256 } from "../storage/folder/read-file.ts";
import type { TeamKeys } from "./team-keys.ts";

/**
 * A signed object is one line, and then its content:
 *
 *     tapedeck-team 1 <name> <SHA-256 of the content> <key id> <signature>
 *
 * The signature covers the line before it. So a content cannot be changed, or put under another name.
 */
const MAGIC = "tapedeck-team ";
const LINE = /^(tapedeck-team 1 (\S+) ([0-9a-f]{64})) ([0-9a-f]{16}) ([A-Za-z0-9_-]{86})$/;
/** Bytes of the longest line that is read. */
const MOST_LINE = 2_048;
const LINE_END = 0x0a;

/** @throws TapedeckError `tapedeck_usage` if there is no private key */
export function signObject(name: string, content: Uint8Array, { signing }: TeamKeys): Uint8Array {
  if (signing === undefined) throw createNoPrivateKeyError();
  const signed = `${MAGIC}1 ${name} ${computeSha256(content)}`;
  const signature = sign(null, Buffer.from(signed), signing.privateKey).toString("base64url");
  return Buffer.concat([Buffer.from(`${signed} ${signing.id} ${signature}\n`), content]);
}

export type OpenedObject = { readonly content: Uint8Array } | RefusedObject;

/** An object that is not used; `refused` ends the sentence "The object … ". */
export interface RefusedObject {
  readonly refused: string;
}

/** The content of an object that was signed under this name with a trusted key, or why it is not used. */
export function openObject(name: string, object: Uint8Array, { trusted }: TeamKeys): OpenedObject {
  const start = Buffer.from(object.buffer, object.byteOffset, Math.min(object.byteLength, MOST_LINE));
  const end = start.indexOf(LINE_END);
  const line = start.toString("latin1", 0, Math.max(end, 0));
  const [, signed, signedName, hash, id = "", signature = ""] = LINE.exec(line) ?? [];
  if (signed === undefined)
    return {
      refused: isOfLaterVersion(line)
        ? localize("was written by a later version of Tapedeck")
        : localize("is not signed"),
    };
  const key = trusted.get(id);
  if (key === undefined)
    return { refused: localize("is signed with a key ({0}) that is not trusted here", id) };
  const bytes = Buffer.from(signature, "base64url");
  // The last character has two bits that decoding ignores: one signature has one spelling.
  const isSpelledRight = bytes.toString("base64url") === signature;
  if (!isSpelledRight || !verify(null, Buffer.from(signed, "latin1"), key, bytes))
    return { refused: localize("has an invalid signature") };
  if (signedName !== name)
    return { refused: localize("was signed under another name, {0}", signedName ?? "") };
  const content = object.subarray(end + 1);
  if (computeSha256(content) !== hash)
    return { refused: localize("does not have the content that was signed") };
  return { content };
}

const isOfLaterVersion = (line: string): boolean => /^tapedeck-team (?:[2-9]|[1-9][0-9]+) /.test(line);

export function createNoPrivateKeyError(): Error {
  return createWrongUsage(
    localize("The team cache cannot be written: TAPEDECK_REMOTE_KEY has no private key."),
    localize("Set it to the ed25519-private: key of the team. A public key only reads."),
  );
}
