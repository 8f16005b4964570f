import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Recording } from "../core/cassette/recording.ts";
import { findSecrets } from "../core/cassette/secrets.ts";
import type { TapedeckError } from "../core/errors.ts";
import type { Deck } from "../deck.ts";
import { byPlace, type Finding, type RuleId } from "./findings.ts";
import { readAll, type FoundRecording } from "./read-all.ts";
import { createTestFinder, type FindAbsence } from "./test-presence.ts";
import { whyUnused } from "./unused.ts";
import { readUsage, type Usage } from "./usage.ts";

/** What was found in a cassette folder. */
export interface Inspection {
  /** By file and position. */
  readonly findings: readonly Finding[];
  readonly recordings: number;
  /** False until a run was seen: nothing can be called unused before. */
  readonly isUsageKnown: boolean;
}

interface Inspecting {
  readonly dir: string;
  readonly findAbsence: FindAbsence;
  readonly usage: Usage | undefined;
  /** The first take with a reply, by provider, key and the reply's bytes; and how its file was made. */
  readonly replies: Map<string, Original>;
}

interface Original {
  readonly entry: string;
  readonly file: string;
}

/** Looks at everything in the folder; changes nothing. */
export async function inspect(deck: Deck, cwd: string): Promise<Inspection> {
  const { dir, store } = deck;
  const usage = await readUsage(dir);
  const findAbsence = createTestFinder([...new Set([dirname(dir), cwd])]);
  const inspecting: Inspecting = { dir, findAbsence, usage, replies: new Map() };
  const findings: Finding[] = [];
  for (const { path, reason } of await store.strays())
    findings.push(whole("stray-file", path, capital(reason)));
  let recordings = 0;
  for await (const found of readAll(store)) {
    recordings += 1;
    findings.push(...(await inspectOne(found, inspecting)));
  }
  return { findings: findings.sort(byPlace), recordings, isUsageKnown: usage !== undefined };
}

async function inspectOne(found: FoundRecording, inspecting: Inspecting): Promise<readonly Finding[]> {
  const { address, recording, broken } = found;
  const { entry } = address;
  const text = await readFile(join(inspecting.dir, entry), "utf8").catch(() => "");
  const secrets = findSecrets(text).map(({ kind, line, column }) => {
    return {
      rule: "secret",
      entry,
      line,
      column,
      message: `This looks like ${article(kind)} ${kind}.`,
    } as const;
  });
  if (broken !== undefined) return [unreadable(entry, broken), ...secrets];
  if (recording === undefined) return secrets;
  const absence = recording.test === undefined ? undefined : await inspecting.findAbsence(recording.test);
  const { usage } = inspecting;
  const unused = usage && whyUnused(address, recording, { usage, isStale: absence !== undefined });
  return [
    ...secrets,
    ...duplicates(found, recording, text, inspecting),
    ...(absence === undefined ? [] : [whole("stale", entry, absence)]),
    ...(unused === undefined ? [] : [whole("unused", entry, unused)]),
  ];
}

/** The catalogue names the place in its message; here the place stands beside it. */
function unreadable(entry: string, { message, position }: TapedeckError): Finding {
  const reason = message.replace(/^The recording .*? cannot be read: /s, "");
  const { line = 1, column = 1 } = position ?? {};
  return { rule: "unreadable", entry, line, column, message: capital(reason) };
}

function duplicates(
  { address }: FoundRecording,
  { provider, key, reply }: Recording,
  text: string,
  { replies }: Inspecting,
): readonly Finding[] {
  const { entry } = address;
  const same = createHash("sha256").update(reply.body).digest("hex");
  const place = `${provider}\n${key}\n${reply.status}\n${reply.contentType ?? ""}\n${same}`;
  const file = createHash("sha256").update(text).digest("hex");
  const original = replies.get(place);
  if (original === undefined) {
    replies.set(place, { entry, file });
    return [];
  }
  if (original.file === file) return [whole("same-file", entry, `It is a copy of ${original.entry}.`)];
  return [whole("duplicate", entry, `Its reply is that of ${original.entry}.`)];
}

function whole(rule: RuleId, entry: string, message: string): Finding {
  return { rule, entry, line: 1, column: 1, message };
}

function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

function article(noun: string): string {
  return /^[aeiouAEIOU]/.test(noun) ? "an" : "a";
}
