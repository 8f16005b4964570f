import { isAbsolute, relative, resolve, sep } from "node:path";
import { createTapedeckError, createWrongUsage, type TapedeckError } from "../core/base/errors.ts";
import { formatNames, localize } from "../core/base/localize.ts";
import { getKeyDigits } from "../core/cassette/address.ts";
import type { RecordingAddress } from "../core/cassette/recording.ts";

const SHORTEST_PREFIX = 4;

/**
 * The recording that a person means: by its entry, by the path of its file, or by the beginning of its key with
 * ".2" and so on for a later take.
 * @throws TapedeckError `tapedeck_usage` for what names nothing at all, `tapedeck_cassette` where none or several fit.
 */
export function findRecording(
  named: string,
  addresses: readonly RecordingAddress[],
  place: { readonly dir: string; readonly cwd: string },
): RecordingAddress {
  const byPath = addresses.find(({ entry }) => pathsOf(named, place).includes(entry));
  if (byPath !== undefined) return byPath;
  const parts = /^(?:sha256:)?([0-9a-fA-F]+)(?:\.([1-9]\d*))?(?:\.json)?…?$/.exec(named);
  const prefix = parts?.[1]?.toLowerCase();
  if (prefix === undefined) throw notRecorded(named);
  if (prefix.length < SHORTEST_PREFIX) {
    throw createWrongUsage(
      localize('"{0}" is too short to name a recording.', named),
      localize("Use at least {0} digits of its key.", SHORTEST_PREFIX),
    );
  }
  const fitting = addresses.filter(({ key }) => key.startsWith(`sha256:${prefix}`));
  const [first] = fitting;
  if (first === undefined) throw notRecorded(named);
  if (fitting.some(({ key, provider }) => key !== first.key || provider !== first.provider)) {
    throw ambiguous(named, fitting);
  }
  const take = Number(parts?.[2] ?? first.take);
  const found = fitting.find((address) => address.take === take);
  if (found === undefined) throw notRecorded(named);
  return found;
}

/** What `named` may mean as a path, relative to the cassette folder. */
function pathsOf(
  named: string,
  { dir, cwd }: { readonly dir: string; readonly cwd: string },
): readonly string[] {
  const fromHere = relative(dir, resolve(cwd, named)).split(sep).join("/");
  return isAbsolute(named) ? [fromHere] : [named.split(sep).join("/").replace(/^\.\//, ""), fromHere];
}

function notRecorded(named: string): TapedeckError {
  return createTapedeckError("tapedeck_cassette", localize('There is no recording "{0}".', named), {
    hint: localize("Use the path of a recording, or the first digits of its key. See: tapedeck list"),
  });
}

function ambiguous(named: string, fitting: readonly RecordingAddress[]): TapedeckError {
  const names = [...new Set(fitting.map(({ provider, key }) => `${getKeyDigits(key)} (${provider})`))];
  return createTapedeckError(
    "tapedeck_cassette",
    localize('"{0}" matches several recordings: {1}.', named, formatNames(names, 5)),
    {
      hint: localize("Use more digits of the key, or the path."),
    },
  );
}
