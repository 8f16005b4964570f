import type { Key } from "../call/call.ts";
import { decodeText } from "../base/wire/text.ts";
import { isKey } from "./address.ts";

/** The members of a recording's file before its request. */
export interface FileHead {
  readonly provider: string;
  readonly key: Key;
}

/** The first members in the order and form in which they are written. */
const HEAD =
  /^\{\n {2}"format": 1,\n {2}"provider": "([^"\\]+)",\n {2}"operation": "[^"\\]+",\n(?: {2}"model": "[^"\\]*",\n)? {2}"key": "([^"]+)",\n {2}"recordedAt": "/;
const MOST_BYTES = 1_024;

/**
 * Reads the head of a file that has the format of `encodeRecording`, without reading the rest. Undefined for any other
 * file, which may still be a recording.
 */
export function readFileHead(file: Uint8Array): FileHead | undefined {
  const [, provider, key] = HEAD.exec(decodeText(file.subarray(0, MOST_BYTES))) ?? [];
  return provider === undefined || !isKey(key) ? undefined : { provider, key };
}
