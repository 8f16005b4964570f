import { addressOf, readEntry } from "../core/cassette/address.ts";
import { blobPath } from "../core/cassette/blobs.ts";
import type { Key } from "../core/call.ts";
import type { RecordingAddress } from "../core/cassette/recording.ts";

/*
 * What things are called in a team's cache: the folder's own names, each under its scope.
 */

/** The object of a recording. */
export const objectOf = (scope: string, entry: string): string => `${scope}/${entry}`;

/** The object of a large body. */
export const blobObjectOf = (scope: string, sha256: string): string => `${scope}/${blobPath(sha256)}`;

/** How the names of all recordings of a scope begin. */
export const allOf = (scope: string): string => `${scope}/calls/`;

/** The how-manyth claim on making a recording, from 1. */
export function claimOf(scope: string, { provider, key, number }: Claimed): string {
  const entry = addressOf(provider, key, 1).entry.replace(/^calls/, "claims");
  return objectOf(scope, entry.replace(/\.json$/, `.${number}`));
}

export interface Claimed {
  readonly provider: string;
  readonly key: Key;
  readonly number: number;
}

/** What says of a claim that nothing was recorded. */
export const givenBack = (claim: string): string => `${claim}.over`;

/** The address of an object of a scope; undefined for any other object. */
export function addressIn(scope: string, object: string): RecordingAddress | undefined {
  if (!object.startsWith(`${scope}/`)) return undefined;
  const address = readEntry(object.slice(scope.length + 1));
  return "wrong" in address ? undefined : address;
}

const SCOPE = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

/** Whether a word can be a scope: it becomes a part of names on every engine. */
export const isScope = (word: string): boolean => SCOPE.test(word);
