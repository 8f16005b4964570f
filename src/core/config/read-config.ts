import { isHostName } from "../protocol/model-call.ts";
import { localize } from "../base/localize.ts";
import {
  readElements,
  createFileFault,
  readMembers,
  readKnown,
  readOneOf,
  parseFile,
  readPlain,
  readString,
  type FilePlace,
} from "../cassette/file-reader.ts";
import { explain, isTapedeckError, createTapedeckError, type TapedeckError } from "../base/errors.ts";
import { isJsonFault } from "../base/json/json-parse.ts";
import {
  CONFIG_NAME,
  MOCKS,
  NO_CONFIG,
  type LenientAnswer,
  type OriginMatching,
  type FrozenSource,
  type ProjectConfig,
  type RecordRules,
  ALLOWED_HASH,
  type Repeats,
} from "./config.ts";
import { SECRETS_POLICIES } from "../call/secrets-policy.ts";
import { FAULTS } from "./read-faults.ts";
import { readMockFile, type MockFile } from "./read-mock-file.ts";
import { SCRIPT } from "./read-script.ts";
import { readRule, type CheckPattern, readPattern } from "./read-rule.ts";
import { isProviderName } from "../protocol/upstream-address.ts";

export interface ConfigSources {
  /** Throws for a pattern that is none. */
  readonly checkPattern: CheckPattern;
  /** The text of a file that is named in it, by its path relative to it. @throws where there is none. */
  readonly readText: (path: string) => string;
}

/**
 * Reads `tapedeck.jsonc`: JSON with comments and trailing commas. An empty file is valid.
 * @throws TapedeckError `tapedeck_usage` with the first bad position
 */
export function readConfig(text: string, sources: ConfigSources): ProjectConfig {
  const plain = text.replace(/^\ufeff/, "");
  try {
    return plain.trim() === "" ? NO_CONFIG : configAt(parseFile(plain), sources);
  } catch (error) {
    if (error instanceof RangeError)
      throw createBrokenConfigError(localize("its values are nested too deeply"), 1, 1);
    if (!isJsonFault(error)) throw error;
    throw createBrokenConfigError(error.reason, error.line, error.column);
  }
}

/** Why the file is ignored. The hint names the effect. */
export function createBrokenConfigError(reason: string, line: number, column: number): TapedeckError {
  return createTapedeckError(
    "tapedeck_usage",
    localize("{0}.", `${CONFIG_NAME}:${line}:${column}: ${reason}`),
    {
      hint: localize("Until it is corrected, Tapedeck ignores this file and compares every call in full."),
      position: { file: CONFIG_NAME, line, column },
    },
  );
}

/** How each member is read, in the order in which they are named. */
const READERS: {
  readonly [Name in keyof Required<ProjectConfig>]: (
    place: FilePlace,
    sources: ConfigSources,
  ) => Required<ProjectConfig>[Name];
} = {
  normalize: (place, { checkPattern }) => readElements(place).map((one) => readRule(one, checkPattern)),
  repeats: (place) => readOneOf<Repeats>(place, ["takes", "same", "trials"]),
  origins: (place) => readOneOf<OriginMatching>(place, ["all", "requests", "off"]),
  freeze: (place) => readElements(place).map(readFrozenSource),
  lenient: lenientAt,
  faults: (place, sources) => entriesAt(place, sources, FAULTS),
  record: recordAt,
  secrets: (place) => readOneOf(place, SECRETS_POLICIES),
  allowSecrets: (place, { checkPattern }) =>
    readElements(place).map((one) => allowedSecretAt(one, checkPattern)),
  allowHosts: (place) => readElements(place).map(hostAt),
  credentials: credentialsAt,
};

function configAt(file: FilePlace, sources: ConfigSources): ProjectConfig {
  const members = [...readMembers(file)].filter(([name]) => name !== "$schema");
  const read = members.map(([name, place]) => {
    if (!isMember(name)) throw unknownMember(name, place);
    return [name, READERS[name](place, sources)];
  });
  return { ...NO_CONFIG, ...Object.fromEntries(read) };
}

const isMember = (name: string): name is keyof ProjectConfig => Object.hasOwn(READERS, name);

function unknownMember(name: string, place: FilePlace): Error {
  if (name === "upstreams" || name === "upstream")
    return createFileFault(
      place,
      localize(
        "is not allowed here: a project must not decide where keys are sent. Use --upstream, or tapedeck.upstreams in the user settings",
      ),
    );
  if (name === "remote" || name === "team" || name === "cache")
    return createFileFault(
      place,
      localize(
        "is not allowed here: a project must not decide where prompts are sent. Use --remote, TAPEDECK_REMOTE, or tapedeck.remote.address in the user settings",
      ),
    );
  return createFileFault(
    place,
    localize("is unknown in {0}; the members are {1}", CONFIG_NAME, Object.keys(READERS).join(", ")),
  );
}

const FROZEN_CLOCK = /^clock=(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))$/;

function readFrozenSource(place: FilePlace): FrozenSource {
  const value = readString(place);
  if (value === "clock" || value === "random" || value === "uuid") return value;
  const [, moment] = FROZEN_CLOCK.exec(value) ?? [];
  if (moment !== undefined) return `clock=${moment}`;
  throw createFileFault(
    place,
    localize('must be "clock", "clock=2026-01-31T12:00:00Z" (any moment), "random", or "uuid"'),
  );
}

function lenientAt(place: FilePlace, sources: ConfigSources): LenientAnswer {
  const members = [...readMembers(place)];
  const [[name, value] = [], another] = members;
  if (another !== undefined)
    throw createFileFault(another[1], localize('cannot be combined with "{0}"', name ?? ""));
  if (value === undefined) throw createFileFault(place, localize("must have a script, a reply, or a mock"));
  if (name === "reply") return { reply: readString(value) };
  if (name === "mock") return { mock: readOneOf(value, MOCKS) };
  if (name === "script") {
    const script = entriesAt(value, sources, SCRIPT);
    return typeof value.tree === "string" ? { script, file: value.tree } : { script };
  }
  throw createFileFault(value, localize("is unknown in lenient; the members are script, reply, and mock"));
}

/** The entries themselves, or the path of a file with them, within the project. */
function entriesAt<T>(place: FilePlace, { readText }: ConfigSources, kind: MockFile<T>): readonly T[] {
  if (typeof place.tree !== "string") {
    const entries = readElements(place);
    if (entries.length === 0) throw createFileFault(place, localize("has no entries"));
    return entries.map(kind.read);
  }
  try {
    const path = readString(place);
    if (/^(?:[/\\]|[A-Za-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(path))
      throw createFileFault(place, localize("must be a path within the project"));
    return readMockFile(kind, readText(path), path);
  } catch (error) {
    if (isJsonFault(error)) throw error;
    throw createFileFault(
      place,
      localize(
        "cannot be used: {0}",
        (isTapedeckError(error) ? error.message : explain(error)).replace(/[.。]$/, ""),
      ),
    );
  }
}

/** Reads `record`. @throws JsonFault if it is invalid. */
function recordAt(place: FilePlace): RecordRules {
  return readKnown(place, { errors: booleanAt, withoutHeaders: lowerCaseAt, hosts: hostNamesAt });
}

function hostNamesAt(place: FilePlace): readonly string[] {
  return readElements(place).map((one) => {
    const host = readString(one).toLowerCase();
    if (!isHostName(host))
      throw createFileFault(one, localize("must be the name of a host, e.g. mcp.example.com"));
    return host;
  });
}

function lowerCaseAt(place: FilePlace): readonly string[] {
  return readElements(place).map((one) => readString(one).toLowerCase());
}

function booleanAt(place: FilePlace): boolean {
  const value = readPlain(place);
  if (typeof value === "boolean") return value;
  throw createFileFault(place, localize("must be true or false"));
}

/** Reads `credentials`. @throws JsonFault if it is invalid. */
function credentialsAt(place: FilePlace): ReadonlyMap<string, readonly string[]> {
  const named = [...readMembers(place)].map(([provider, names]) => {
    if (!isProviderName(provider))
      throw createFileFault(names, localize("is not under a valid provider name"));
    return [provider, lowerCaseAt(names)] as const;
  });
  return new Map(named);
}

/** One of `allowHosts`. @throws JsonFault where it is no host. */
function hostAt(place: FilePlace): string {
  const value = readString(place).toLowerCase();
  if (/^(?:[a-z0-9*_-]+(?:\.[a-z0-9*_-]+)*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/.test(value)) return value;
  throw createFileFault(
    place,
    localize('must be a host such as "api.stripe.com", "*.example.com", or "db:5432"'),
  );
}

/** One of `allowSecrets`: a pattern, or a hash. @throws JsonFault where it is neither. */
function allowedSecretAt(place: FilePlace, checkPattern: CheckPattern): string {
  const value = readString(place);
  if (ALLOWED_HASH.test(value)) return value;
  if (value.startsWith("sha256:"))
    throw createFileFault(place, localize("must have 64 lower-case hexadecimal digits after sha256:"));
  return readPattern(place, checkPattern);
}
