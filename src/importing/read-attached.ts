import { localize } from "../core/base/localize.ts";
import { realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, posix, relative, resolve, sep } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import type { AttachedFiles } from "../core/formats/import/found.ts";
import { explain } from "../core/base/errors.ts";
import { READ_LIMITS, readBytes } from "../storage/folder/read-file.ts";

/** Reads a file that an imported file names; resolves to the reason on failure, as the end of a sentence about a call. */
type ReadAttached = (name: string) => Promise<Uint8Array | string>;

/** Reads files one after another, up to the maximum size of one imported file in total. */
export async function readAttached(names: readonly string[], read: ReadAttached): Promise<AttachedFiles> {
  const found = new Map<string, Uint8Array | string>();
  let sizeBytes = 0;
  for (const name of names) {
    const content = await read(name);
    if (typeof content !== "string") sizeBytes += content.byteLength;
    const isTooMuch = sizeBytes > READ_LIMITS.data;
    found.set(name, isTooMuch ? localize('keeps a body in the file "{0}": {1}', name, tooMuch()) : content);
  }
  return found;
}

const tooMuch = (): string => localize("the files beside the archive are larger than 256 MiB");

/** Reads files in the folder of the imported file or below it. Links may not point outside that folder. */
export function createAttachedReader(path: string): ReadAttached {
  const folder = dirname(path);
  return async (name) => {
    const outside = localize(
      'keeps a body in the file "{0}", which is outside of the archive\'s folder',
      name,
    );
    if (isOutside(folder, resolve(folder, name))) return outside;
    try {
      const target = await realpath(join(folder, name));
      return isOutside(await realpath(folder), target) ? outside : await readBytes(target);
    } catch (error) {
      return localize('keeps a body in the file "{0}", which cannot be read: {1}', name, explain(error));
    }
  };
}

function isOutside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way);
}

/** An HTTP archive in a zip archive, with the files beside it. */
export interface ZippedHar {
  readonly text: string;
  readonly fileName: string;
  readonly read: ReadAttached;
}

/** Unpacks a zip archive with one HTTP archive; otherwise returns the reason as the end of a sentence about the file. */
export function unzipHar(bytes: Uint8Array): ZippedHar | string {
  let sizeBytes = 0;
  const entries = new Map(
    Object.entries(
      unzipSync(bytes, {
        filter: ({ originalSize }) => {
          sizeBytes += originalSize;
          if (sizeBytes > READ_LIMITS.data) throw new Error(localize("it unpacks to more than 256 MiB"));
          return true;
        },
      }),
    ),
  );
  const archives = [...entries].filter(([name]) => /\.har$/i.test(name));
  const [archive] = archives;
  if (archive === undefined) return localize("is a zip archive without a .har file: unpack it first");
  if (archives.length > 1)
    return localize("is a zip archive with {0} .har files: unpack it first", archives.length);
  const [place, content] = archive;
  return {
    text: strFromU8(content),
    fileName: posix.basename(place),
    read: async (name) =>
      entries.get(posix.join(posix.dirname(place), name)) ??
      localize('keeps a body in the file "{0}", which is not in the zip archive', name),
  };
}
