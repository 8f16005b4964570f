import { compareTexts } from "../base/compare.ts";
import { localize } from "../base/localize.ts";
import type { Key } from "../call/call.ts";
import type { RecordingAddress } from "./recording.ts";

const KEY = /^sha256:[0-9a-f]{64}$/;
const FILE_NAME = /^([0-9a-f]{64})(?:\.([1-9][0-9]{0,8}))?\.json$/;
/** Names that Windows reserves for devices, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/;

const DIGITS = 8;

/** Returns the beginning of a key, which is enough to name it to `show`: "3f9a2c41". */
export const getKeyDigits = (key: string): string => hexOf(key).slice(0, DIGITS);

/** Returns a key in short form for people: "3f9a2c41…". */
export const shortenKey = (key: string): string => `${getKeyDigits(key)}…`;

const CHAIN_DIGITS = 12;

/** Returns the name by which origins refer to a recording: digits of its key, and the number of its take from 2. */
export function getChainName(entry: string): string {
  const [, hex = "", take] = FILE_NAME.exec(entry.slice(entry.lastIndexOf("/") + 1)) ?? [];
  return hex.slice(0, CHAIN_DIGITS) + (take === undefined ? "" : `.${take}`);
}

/** Returns the name of a recording in an origin as `list` shows it and `show` accepts it: "3f9a2c41.2". */
export const shortenChainName = (name: string): string => name.slice(0, DIGITS) + name.slice(CHAIN_DIGITS);

/** All takes of a call have its provider and key. */
export type CallName = Pick<RecordingAddress, "provider" | "key">;

/** Returns one text for a call, by which lists and maps know its takes. */
export const formatCallName = ({ provider, key }: CallName): string => `${provider} ${key}`;

/** The position of a recording among those of its key. */
export interface TakeOf {
  /** 1-based. */
  readonly k: number;
  readonly of: number;
}

/** Returns "take 2 of 3". */
export const takeText = ({ k, of }: TakeOf): string => localize("take {0} of {1}", k, of);

export const isKey = (value: unknown): value is Key => typeof value === "string" && KEY.test(value);

/**
 * Returns the folder of a key's recordings, relative to the cassette folder: `calls/<provider>/<first 2 hex>`.
 * Everything but a-z, 0-9, "-", "_", and inner dots is percent-encoded, so that no two providers share a folder on any
 * file system (case, Unicode forms, reserved names), and none is outside `calls`.
 */
export function getFolderOfKey(provider: string, key: Key): string {
  return `calls/${getFolderOfProvider(provider)}/${hexOf(key).slice(0, 2)}`;
}

/** Returns the file name of a take: `<key hex>.json` for the first, `<key hex>.<take>.json` for the others. */
export function getRecordingFileName(key: Key, take: number): string {
  return take === 1 ? `${hexOf(key)}.json` : `${hexOf(key)}.${take}.json`;
}

export function createRecordingAddress(provider: string, key: Key, take: number): RecordingAddress {
  return {
    entry: `${getFolderOfKey(provider, key)}/${getRecordingFileName(key, take)}`,
    provider,
    key,
    take,
  };
}

/** Returns `wanted` if no take of the key has it, otherwise the number after the last take. */
export function findFreeNumber(takes: readonly RecordingAddress[], least = 0): number {
  const isFree = least > 0 && takes.every(({ take }) => take !== least);
  return isFree ? least : getLastTake(takes) + 1;
}

/*
 * The n-th identical call gets take number n. Take numbers can have gaps: a call whose response was not recorded leaves
 * its number unused.
 */

type Takes = readonly Pick<RecordingAddress, "take">[];

/** Returns the number of the last take; 0 if there is none. */
export const getLastTake = (takes: Takes): number => takes.at(-1)?.take ?? 0;

/** Returns the index of the take with this number; undefined if there is none. */
export function findTakeIndex(takes: Takes, number: number): number | undefined {
  const index = takes.findIndex(({ take }) => take === number);
  return index === -1 ? undefined : index;
}

/** Why a path is not that of a recording, as a sentence about "it". */
export interface NoEntry {
  readonly wrong: string;
}

export function readEntry(entry: string): RecordingAddress | NoEntry {
  const end = entry.lastIndexOf("/");
  return createEntryReader(entry.slice(0, end))(entry.slice(end + 1));
}

/** Reads the names of many files in one folder, whose path (`calls/<provider>/<first 2 hex>`) is read once. */
export function createEntryReader(folder: string): (name: string) => RecordingAddress | NoEntry {
  const [calls, encoded, prefix, ...rest] = folder.split("/");
  if (calls !== "calls" || encoded === undefined || prefix === undefined || rest.length > 0)
    return () => ({ wrong: localize("it is not at calls/<provider>/<first 2 hex>/<key>.json.") });
  const provider = providerOfFolder(encoded);
  if (provider === undefined)
    return () => ({ wrong: localize('"{0}" is not a valid folder name of a provider.', encoded) });
  return (name) => {
    const [, hex, number] = FILE_NAME.exec(name) ?? [];
    if (hex === undefined) return { wrong: noKeyText() };
    if (!hex.startsWith(prefix) || prefix.length !== 2)
      return {
        wrong: localize('it belongs in the folder "{0}", the first digits of its key.', hex.slice(0, 2)),
      };
    if (number === "1") return { wrong: localize("the first take has no number in its name.") };
    return {
      entry: `${folder}/${name}`,
      provider,
      key: `sha256:${hex}`,
      take: number === undefined ? 1 : Number(number),
    };
  };
}

const noKeyText = (): string =>
  localize("its name is not a key of 64 lower-case hex digits, with .2, .3 … before .json for more takes.");

/** Returns the address of an entry for a recording. @throws Error if provider or key differ, which is a bug of the caller. */
export function getRecordingAddress(
  entry: string,
  recording: { readonly provider: string; readonly key: Key },
): RecordingAddress {
  const address = readEntry(entry);
  if (!("wrong" in address) && address.key === recording.key && address.provider === recording.provider)
    return address;
  throw new Error(`a recording of ${recording.provider} ${recording.key} cannot be stored at ${entry}`);
}

/** Compares by provider, key, and take: the order in which recordings are listed. */
export function byAddress(a: RecordingAddress, b: RecordingAddress): number {
  return compareTexts(a.provider, b.provider) || compareTexts(a.key, b.key) || a.take - b.take;
}

const hexOf = (key: string): string => key.slice("sha256:".length);

/** Returns the name of a provider's folder in `calls`. */
export function getFolderOfProvider(provider: string): string {
  const encoded = provider.replace(/[^a-z0-9._-]|^\.|\.$/gu, percent);
  return RESERVED.test(encoded) ? percent(encoded.charAt(0)) + encoded.slice(1) : encoded;
}

function percent(character: string): string {
  return [...new TextEncoder().encode(character)]
    .map((byte) => `%${byte.toString(16).padStart(2, "0")}`)
    .join("");
}

function providerOfFolder(folder: string): string | undefined {
  try {
    const provider = decodeURIComponent(folder);
    return provider !== "" && getFolderOfProvider(provider) === folder ? provider : undefined;
  } catch {
    return undefined;
  }
}
