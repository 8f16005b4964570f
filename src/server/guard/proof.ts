import { createHash, createHmac } from "node:crypto";

/*
 * Open terminals remember an address, and another program may have its port by the time they call: their keys would be
 * its. So the hooks ask first. They name the token by its digest and send a number of their own; only who knows the
 * token can answer. The port is part of it: an answer that was fetched from a server at another port is of no use.
 */

/** Stands where a token would; none begins like this. */
export const PROOF = "@proof";

/** Names a token without telling it. */
export function createProofId(token: string): string {
  return createHash("sha256").update(`tapedeck id\n${token}`).digest("hex").slice(0, 32);
}

/** The answer to `/@proof/ID/NONCE`, in hexadecimal; undefined where the path after the name holds no number. */
export function createProof(token: string, port: number, path: string): string | undefined {
  const [, nonce] = /^\/([0-9a-f]{32})$/.exec(path) ?? [];
  if (nonce === undefined) return undefined;
  return createHmac("sha256", token).update(`tapedeck proof\n${port}\n${nonce}`).digest("hex");
}
