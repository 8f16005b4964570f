import type { RecordedRequest, Recording } from "../../core/cassette/recording.ts";
import type { Key, TestRef } from "../../core/call.ts";
import { jsonOf } from "../../core/match/key/read-body.ts";
import { computeKey, type Normaliser, type Sha256 } from "../../core/match/key/key.ts";
import { redactRequest } from "../../core/secrets/redact-call.ts";
import type { Scan } from "../../core/secrets/scanner.ts";
import { canonicalJson, type JsonTree } from "../../core/json/json-tree.ts";
import { pickDefined } from "../../core/pick-defined.ts";
import { bytesOf } from "../../core/wire/text.ts";
import {
  affectedLiterals,
  withLiterals,
  type AffectedLiteral,
  affectedOptions,
  withOptions,
  type AffectedOption,
} from "./affected-model.ts";
import { chunkChanges, type ChunkChange } from "./chunk-changes-model.ts";
import type { SourceOption } from "./literals-model.ts";
import type { StaleEdit } from "./stale-edit-model.ts";
import { visibleSource, type EditedFile } from "./visible-source-model.ts";

/** A recording that the file may have to do with. */
export interface EditedRecording {
  readonly entry: string;
  /** The tests that use it. */
  readonly tests: readonly TestRef[];
  readonly recording: Pick<Recording, "provider" | "operation" | "key" | "request">;
  /** A test that uses it calls from this file. */
  readonly isCalledFrom?: boolean;
}

interface EditSources {
  readonly recordings: Iterable<EditedRecording>;
  readonly sha256: Sha256;
  /** The recording that answers a key, where there is one. */
  readonly answers: (provider: string, key: Key) => string | undefined;
  /** The project's rules: an edit of what they leave out makes no other call. */
  readonly normalise?: Normaliser;
  /** Where the project redacts: a call is looked up without its secrets. */
  readonly scan?: Scan;
}

/** What an edit does to recordings before any test ran again, by entry. An edit that is undone does nothing. */
export function staleByEdit(edited: EditedFile, sources: EditSources): ReadonlyMap<string, StaleEdit> {
  const { before, now } = edited;
  const changes = chunkChanges(before.chunks, now.chunks);
  const optionChanges = chunkChanges(before.options, now.options);
  const found = new Map<string, StaleEdit>();
  if (changes.length === 0 && optionChanges.length === 0) return found;
  for (const one of sources.recordings) {
    const edit = editOf(one, { ...edited, changes, optionChanges }, sources);
    if (edit) found.set(one.entry, edit);
  }
  return found;
}

type Changed = EditedFile & {
  readonly changes: readonly ChunkChange[];
  readonly optionChanges: readonly ChunkChange<SourceOption>[];
};

function editOf(one: EditedRecording, changed: Changed, edit: EditSources): StaleEdit | undefined {
  const { tests, recording } = one;
  const body = jsonOf(recording.request);
  const seen = body === undefined ? undefined : visibleSource(tests, changed);
  if (body === undefined || seen === undefined) return undefined;
  const { before, now } = seen;
  const { file, changes, optionChanges } = changed;
  const literals = affectedLiterals(body, { before: before.chunks, now: now.chunks, changes });
  const options = callsFrom(one, file)
    ? affectedOptions(body, { before: before.options, now: now.options, changes: optionChanges })
    : [];
  const affected = [...literals, ...options];
  const text = literals[0] ? changeText(literals[0]) : options[0] && optionChangeText(options[0]);
  if (text === undefined) return undefined;
  const after = withOptions(withLiterals(body, literals, UNKNOWN_TEXT), options, UNKNOWN_VALUE);
  const key = keyOf(recording, after, edit);
  // What the rules leave out may be anything.
  if (key === keyOf(recording, body, edit)) return undefined;
  const newKey = affected.every((change) => change.now !== undefined) ? key : undefined;
  const answeredBy = newKey === undefined ? undefined : edit.answers(recording.provider, newKey);
  return {
    isCertain: affected.some(({ isCertain }) => isCertain),
    ...pickDefined({ newKey, answeredBy }),
    file,
    text,
  };
}

/** Stand for what nobody can say: no request has these. */
const UNKNOWN_TEXT = "\uE000unknown\uE000";
const UNKNOWN_VALUE: JsonTree = { number: "1.2345678987654321e-89" };

/** A name with its value stands in many files: only those that the tests call from say something of a request. */
function callsFrom({ tests, isCalledFrom }: EditedRecording, edited: string): boolean {
  return isCalledFrom === true || tests.some(({ file, at }) => file === edited || at?.file === edited);
}

function keyOf(
  { provider, operation, request }: EditedRecording["recording"],
  tree: JsonTree,
  { sha256, normalise, scan }: Pick<EditSources, "sha256" | "normalise" | "scan">,
): Key | undefined {
  const { method, path, headers } = request;
  if (namesTwice(tree)) return undefined;
  const body = scan === undefined ? tree : jsonOf(withoutSecrets(request, tree, scan));
  if (body === undefined) return undefined;
  return computeKey(
    { provider, operation, method, path, ...pickDefined({ headers }), body: { kind: "json", tree: body } },
    sha256,
    normalise,
  );
}

function withoutSecrets(request: RecordedRequest, tree: JsonTree, scan: Scan): RecordedRequest {
  return { ...request, body: redactRequest(bytesOf(canonicalJson(tree)), scan) };
}

/** A member renamed to one that is there makes a body that no client can send. */
function namesTwice(tree: JsonTree): boolean {
  if (tree === null || typeof tree !== "object") return false;
  if (Array.isArray(tree)) return tree.some(namesTwice);
  if (!("members" in tree)) return false;
  const names = tree.members.map(([name]) => name);
  return new Set(names).size < names.length || tree.members.some(([, value]) => namesTwice(value));
}

function changeText({ before, now }: AffectedLiteral): string {
  return now === undefined ? excerpt(before.text) : `${excerpt(before.text)} → ${excerpt(now.text)}`;
}

function optionChangeText({ before, now }: AffectedOption): string {
  const value = canonicalJson(before.value);
  return `${before.name}: ${value}${now === undefined ? "" : ` → ${canonicalJson(now.value)}`}`;
}

const EXCERPT = 40;

function excerpt(text: string): string {
  const characters = Array.from(text.replaceAll(/\s+/gu, " ").trim());
  return `"${characters.length <= EXCERPT ? characters.join("") : `${characters.slice(0, EXCERPT - 1).join("")}…`}"`;
}
