import {
  elementsOf,
  fault,
  membersOf,
  parseFile,
  plainAt,
  stringAt,
  type Place,
} from "../cassette/file-reader.ts";
import { explain, isTapedeckError, tapedeckError, type TapedeckError } from "../errors.ts";
import { readScript } from "../source/read-script.ts";
import type { ScriptedReply } from "../source/script.ts";
import { isJsonFault } from "../json/json-parse.ts";
import {
  CONFIG_NAME,
  MOCKS,
  NO_CONFIG,
  type LenientAnswer,
  type MockName,
  type ProjectConfig,
} from "./config.ts";
import { readRule, type CheckPattern, patternAt } from "./read-rule.ts";
import { ALLOWED_HASH, SECRETS_POLICIES, type SecretsPolicy } from "../secrets/policy.ts";

export interface ConfigSources {
  /** Throws for a pattern that is none. */
  readonly checkPattern: CheckPattern;
  /** The text of a file that is named in it, by its path relative to it. @throws where there is none. */
  readonly readText: (path: string) => string;
}

/**
 * Reads `tapedeck.jsonc`: JSON with comments and trailing commas. An empty file says nothing.
 * @throws TapedeckError `tapedeck_usage` with the first bad position
 */
export function readConfig(text: string, sources: ConfigSources): ProjectConfig {
  const plain = text.replace(/^\ufeff/, "");
  try {
    return plain.trim() === "" ? NO_CONFIG : configAt(parseFile(plain), sources);
  } catch (error) {
    if (error instanceof RangeError) throw broken("its values are nested too deeply", 1, 1);
    if (!isJsonFault(error)) throw error;
    throw broken(error.reason, error.line, error.column);
  }
}

/** Why the file counts as not there. The hint says what goes on without it. */
export function broken(reason: string, line: number, column: number): TapedeckError {
  return tapedeckError("tapedeck_usage", `${CONFIG_NAME}:${line}:${column}: ${reason}.`, {
    hint: "Until it is corrected, Tapedeck goes on without this file: every call is compared in full.",
    position: { file: CONFIG_NAME, line, column },
  });
}

const MEMBERS = ["$schema", "normalise", "repeats", "lenient", "secrets", "allowSecrets"];

function configAt(file: Place, sources: ConfigSources): ProjectConfig {
  const members = membersOf(file);
  for (const [name, place] of members) if (!MEMBERS.includes(name)) throw unknownMember(name, place);
  const normalise = members.get("normalise");
  const repeats = members.get("repeats");
  const lenient = members.get("lenient");
  const secrets = members.get("secrets");
  const allowed = members.get("allowSecrets");
  return {
    normalise:
      normalise === undefined ? [] : elementsOf(normalise).map((one) => readRule(one, sources.checkPattern)),
    ...(repeats && { repeats: repeatsAt(repeats) }),
    ...(lenient && { lenient: lenientAt(lenient, sources) }),
    ...(secrets && { secrets: policyAt(secrets) }),
    ...(allowed && {
      allowSecrets: elementsOf(allowed).map((one) => allowedSecretAt(one, sources.checkPattern)),
    }),
  };
}

function unknownMember(name: string, place: Place): Error {
  if (name === "upstreams" || name === "upstream")
    return fault(
      place,
      "cannot stand here: a project must not say where keys are sent. Use --upstream, or tapedeck.upstreams in the user settings",
    );
  return fault(place, `is nothing that ${CONFIG_NAME} has; it has ${MEMBERS.slice(1).join(", ")}`);
}

function repeatsAt(place: Place): "takes" | "same" {
  const value = stringAt(place);
  if (value === "takes" || value === "same") return value;
  throw fault(place, 'must be "takes" or "same"');
}

function lenientAt(place: Place, sources: ConfigSources): LenientAnswer {
  const members = [...membersOf(place)];
  const [[name, value] = [], another] = members;
  if (another !== undefined) throw fault(another[1], `cannot stand beside "${name ?? ""}"`);
  if (value === undefined) throw fault(place, "must have a script, a reply or a mock");
  if (name === "reply") return { reply: stringAt(value) };
  if (name === "mock") return { mock: mockAt(value) };
  if (name === "script") return { script: scriptAt(value, sources) };
  throw fault(value, "is nothing that lenient has; it has a script, a reply or a mock");
}

function mockAt(place: Place): MockName {
  const value = stringAt(place);
  const mock = MOCKS.find((known) => known === value);
  if (mock === undefined) throw fault(place, `is no mock provider; there is ${MOCKS.join(", ")}`);
  return mock;
}

/** The replies themselves, or the path of a file with them, within the project. */
function scriptAt(place: Place, { readText }: ConfigSources): readonly ScriptedReply[] {
  try {
    if (place.node.type !== "string") return inlineScript(place);
    const path = stringAt(place);
    if (/^(?:[/\\]|[A-Za-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(path))
      throw fault(place, "must be a path within the project");
    return readScript(readText(path), path);
  } catch (error) {
    if (isJsonFault(error)) throw error;
    throw fault(
      place,
      `cannot be used: ${(isTapedeckError(error) ? error.message : explain(error)).replace(/\.$/, "")}`,
    );
  }
}

/** Comments may stand in it here: each reply is read as a script of one. */
function inlineScript(place: Place): readonly ScriptedReply[] {
  const replies = elementsOf(place);
  if (replies.length === 0) throw fault(place, "has no replies");
  return replies.flatMap((reply) => readScript(JSON.stringify([plainAt(reply)]), reply.name));
}

/** What `secrets` says. @throws JsonFault where it says nothing that is known. */
function policyAt(place: Place): SecretsPolicy {
  const value = stringAt(place);
  const policy = SECRETS_POLICIES.find((known) => known === value);
  if (policy === undefined) throw fault(place, 'must be "redact", "allow", "drop" or "fail"');
  return policy;
}

/** One of `allowSecrets`: a pattern, or a hash. @throws JsonFault where it is neither. */
function allowedSecretAt(place: Place, checkPattern: CheckPattern): string {
  const value = stringAt(place);
  if (ALLOWED_HASH.test(value)) return value;
  if (value.startsWith("sha256:"))
    throw fault(place, "must have 64 lower-case hexadecimal digits behind sha256:");
  return patternAt(place, checkPattern);
}
