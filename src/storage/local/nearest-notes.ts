import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import type { RecordingAddress } from "../../core/cassette/recording.ts";
import type { Key } from "../../core/call/call.ts";
import type { FeatureNotes, NotedFeatures, NotedRequest } from "../../core/match/nearest/nearest.ts";
import { localFolder, localPath, mayReadLocal } from "./local-state.ts";
import { readBytes } from "../folder/read-file.ts";
import { replaceWhole } from "../folder/temporary.ts";

const NAME = "nearest.json";
/** Changes with the way in which features are computed. Notes of another version are not used. */
const VERSION = 5;

type Row = readonly [key: Key, operation: string, numbers: string];

/** Notes on the recorded requests of a cassette folder, kept on this machine: the first miss need not read them all. */
export function nearestNotes(dir: string): NotedFeatures {
  return {
    async read() {
      if (!mayReadLocal(dir)) return new Map();
      try {
        return parseNotes(await readBytes(join(dir, localPath(NAME))));
      } catch {
        // What cannot be read is not noted: those recordings are read.
        return new Map();
      }
    },
    async write(notes) {
      // Where there is no cassette folder, nothing is recorded: there is nothing to make one for.
      if (!existsSync(dir)) return;
      try {
        const rows = Array.from(notes, ([key, noted]): Row => [key, noted.operation, encode(noted.features)]);
        const folder = await localFolder(dir);
        await replaceWhole(join(folder, NAME), JSON.stringify([VERSION, ...rows]));
      } catch {
        // A folder that cannot be written to: all is read again next time.
      }
    },
  };
}

function parseNotes(bytes: Uint8Array): FeatureNotes {
  const [version, ...rows] = JSON.parse(Buffer.from(bytes).toString()) as readonly [number, ...Row[]];
  if (version !== VERSION) return new Map();
  return new Map(rows.map(([key, operation, numbers]) => [key, { operation, features: decode(numbers) }]));
}

function encode({ model, lastUser, system, hashes }: NotedRequest["features"]): string {
  return Buffer.from(Uint32Array.of(model, lastUser, system, ...hashes).buffer).toString("base64");
}

function decode(text: string): NotedRequest["features"] {
  const [model = 0, lastUser = 0, system = 0, ...hashes] = new Uint32Array(
    Uint8Array.from(Buffer.from(text, "base64")).buffer,
  );
  return { model, lastUser, system, hashes: Uint32Array.from(hashes) };
}

/** The recordings whose files changed last, in their order in the list. */
export function newestRecordings(
  dir: string,
  all: readonly RecordingAddress[],
  count: number,
): readonly RecordingAddress[] {
  const changedAt = (entry: string): number =>
    lstatSync(join(dir, entry), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const times = new Map(all.map(({ entry }) => [entry, changedAt(entry)]));
  const timeOf = ({ entry }: RecordingAddress): number => times.get(entry) ?? 0;
  const newest = new Set(all.toSorted((one, other) => timeOf(other) - timeOf(one)).slice(0, count));
  return all.filter((address) => newest.has(address));
}
