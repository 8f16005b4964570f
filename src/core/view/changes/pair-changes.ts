import type { Recording } from "../../cassette/recording.ts";
import { isJsonArray, type JsonTree, getMember } from "../../base/json/json-tree.ts";
import { writeCanonicalJson } from "../../match/key/key.ts";
import { readBody } from "../../base/read-body.ts";
import { addTo } from "../../base/group-by.ts";

export interface PlacedRecording {
  readonly entry: string;
  readonly recording: Recording;
}

/** The recordings of a call before and after a change. */
export interface ChangedCall {
  readonly before: PlacedRecording;
  readonly after: PlacedRecording;
}

export interface PairedChanges {
  readonly changed: readonly ChangedCall[];
  readonly removed: readonly PlacedRecording[];
  readonly added: readonly PlacedRecording[];
}

/**
 * Pairs removed recordings with added recordings of the same operation that replace them. Matches them by test and
 * last message, then by last message, then by test. Within each step, recordings are paired in the given order.
 */
export function pairChanges(
  gone: readonly PlacedRecording[],
  come: readonly PlacedRecording[],
): PairedChanges {
  let [removed, added] = [gone, come];
  const changed: ChangedCall[] = [];
  for (const trait of [byTestAndLastMessage, byLastMessage, byTest]) {
    const waiting = new Map<string, PlacedRecording[]>();
    for (const before of removed) {
      const name = trait(before);
      if (name !== undefined) addTo(waiting, name, before);
    }
    const queues = new Map([...waiting].map(([name, list]) => [name, list.values()]));
    const paired = new Set<PlacedRecording>();
    for (const after of added) {
      const before = queues.get(trait(after) ?? "")?.next().value;
      if (before === undefined) continue;
      changed.push({ before, after });
      paired.add(before).add(after);
    }
    removed = removed.filter((one) => !paired.has(one));
    added = added.filter((one) => !paired.has(one));
  }
  return { changed, removed, added };
}

function byTestAndLastMessage(placed: PlacedRecording): string | undefined {
  const [test, last] = [byTest(placed), byLastMessage(placed)];
  return test === undefined || last === undefined ? undefined : `${test}\n${last}`;
}

function byTest({ recording: { provider, operation, test } }: PlacedRecording): string | undefined {
  return test && JSON.stringify([provider, operation, test.file, test.name]);
}

const LISTS = ["messages", "input", "contents"] as const;

function byLastMessage({ recording: { provider, operation, request } }: PlacedRecording): string | undefined {
  const body = readBody({ ...request, operation });
  if (body.kind !== "json") return undefined;
  const last = lastOf(body.tree);
  return last === undefined ? undefined : `${provider}\n${operation}\n${writeCanonicalJson(last)}`;
}

function lastOf(tree: JsonTree): JsonTree | undefined {
  for (const name of LISTS) {
    const list = getMember(tree, name);
    if (list !== undefined) return isJsonArray(list) ? list.at(-1) : list;
  }
  return undefined;
}
