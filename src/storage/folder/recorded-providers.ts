import { readdirSync } from "node:fs";
import { join } from "node:path";
import { getFolderOfProvider } from "../../core/cassette/address.ts";
import { tryParsePlainJson } from "../../core/base/lenient.ts";
import { readBytesNow } from "./read-file.ts";

/** Returns the names of all providers that have recordings in a folder; none if it cannot be read. */
export function listRecordedProviders(dir: string): readonly string[] {
  try {
    const entries = readdirSync(join(dir, "calls"), { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? entry.name : []));
  } catch {
    // The search for a recording reports a broken folder.
    return [];
  }
}

/** At most this many recordings are looked at. */
const MOST_FILES = 32;

/**
 * The origin of the user's own gateway from which a provider's recordings came, e.g. "http://gateway:4000"; undefined
 * where they came from the provider itself, or where there are none.
 */
export function readRecordedOrigin(dir: string, provider: string): string | undefined {
  const inside = join(dir, "calls", getFolderOfProvider(provider));
  let looked = 0;
  for (const folder of namesIn(inside)) {
    for (const name of namesIn(join(inside, folder))) {
      if ((looked += 1) > MOST_FILES) return undefined;
      const origin = originIn(join(inside, folder, name));
      if (origin !== undefined) return origin;
    }
  }
  return undefined;
}

function originIn(path: string): string | undefined {
  try {
    const found = /^ {2}"origin": ("(?:[^"\\]|\\.)*")/m.exec(readBytesNow(path).toString("utf8"))?.[1];
    const origin = tryParsePlainJson(found ?? "");
    return typeof origin === "string" && URL.canParse(origin) ? origin : undefined;
  } catch {
    return undefined; // what is wrong with it is reported where it is replayed
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
