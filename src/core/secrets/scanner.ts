import { localize } from "../base/localize.ts";
import type { TestRef } from "../call/call.ts";

/** A key, token, or password that was found in a text. Its value is never shown: see `abbreviateSecret`. */
export interface Secret {
  /** A noun, e.g. "OpenAI key". */
  readonly kind: string;
  readonly value: string;
}

/** Finds the secrets in a text. Lists each value once, the most specific kind first. */
export type Scan = (text: string) => readonly Secret[];

/** Values that are secrets whatever they look like, in all their spellings. There may be more of them later. */
export interface KnownSecrets {
  readonly kind: string;
  readonly spellings: readonly string[];
}

/** The kind of a value that is a secret by the name before it alone. */
export const BY_ITS_NAME = "secret by its name";

/** Describes a secret without showing it: its kind, its first four characters, and its length. */
export function abbreviateSecret({ kind, value }: Secret): string {
  const beginning = JSON.stringify(value.slice(0, 4));
  return /^[aeiou]/i.test(kind)
    ? localize("an {0} ({1}…, {2} characters)", kindText(kind), beginning, value.length)
    : localize("a {0} ({1}…, {2} characters)", kindText(kind), beginning, value.length);
}

/** Returns a kind of secret for a message. Files and JSON have the kind itself. */
function kindText(kind: string): string {
  const [, owner = "", noun = ""] =
    /^(.+?) ((?:secret |access )?(?:key|token|secret|password))$/u.exec(kind) ?? [];
  return KINDS[kind]?.() ?? OF_OWNERS[noun]?.(owner) ?? kind;
}

const KINDS: Readonly<Record<string, () => string>> = {
  [BY_ITS_NAME]: () => localize("secret by its name"),
  "secret from an environment variable": () => localize("secret from an environment variable"),
  "private key": () => localize("private key"),
  "bearer token": () => localize("bearer token"),
  "database password": () => localize("database password"),
  "password in a header": () => localize("password in a header"),
  "password in a URL": () => localize("password in a URL"),
  "password in a command": () => localize("password in a command"),
  "password in code": () => localize("password in code"),
  "key of a client": () => localize("key of a client"),
};

const OF_OWNERS: Readonly<Record<string, (owner: string) => string>> = {
  key: (owner) => localize("{0} key", owner),
  "secret key": (owner) => localize("{0} secret key", owner),
  "access key": (owner) => localize("{0} access key", owner),
  token: (owner) => localize("{0} token", owner),
  secret: (owner) => localize("{0} secret", owner),
  password: (owner) => localize("{0} password", owner),
};

/** The text that replaces a secret. Neither JSON nor an event stream escapes any of it, and no kind matches it. */
export const getSecretPlaceholder = ({ kind }: Pick<Secret, "kind">): string => `[redacted: ${kind}]`;

/** A test by its titles, its id, and its file. */
export type TitledTest = Pick<TestRef, "name" | "joined" | "id"> & Partial<Pick<TestRef, "file">>;

/** A long word with a digit, an address, the beginning of a key: other texts need no search. */
const WORTH_A_LOOK = /-----BEGIN|:\/\/|(?=\S*\d)\S{12}/;
/** Paths are long: a part of one needs a search if it is as long as a key. */
const PATH_WORTH_A_LOOK = /(?=[\w-]*\d)[\w-]{20}/;

/** Whether the names of a test may hold a secret; most do not, and the table need not be loaded for them. */
export function mayTitleHoldSecret({ name, joined = "", id = "", file = "" }: TitledTest): boolean {
  return [...name, joined, id].some((text) => WORTH_A_LOOK.test(text)) || PATH_WORTH_A_LOOK.test(file);
}
