import { join } from "node:path";
import { GONE, runStorageTask, recoverFromCodes } from "./folder/failures.ts";
import { READ_LIMITS, readText } from "./folder/read-file.ts";
import { replaceWhole } from "./folder/durable-write.ts";

/** Next to `calls`, so that its paths are valid wherever the cassette folder is in the repository. */
export const ATTRIBUTES = ".gitattributes";

/** Returns the `merge` attribute in git. Without a driver, git merges recordings line by line. */
const LINES = [
  "# Recordings of LLM calls, as tapedeck git setup wrote it. Git keeps every byte, reviews fold the files,",
  "# and of two branches' replies one is kept whole: no line of one gets into the other (tapedeck git resolve).",
  "calls/** -text -merge linguist-generated",
  "blobs/** -text -diff -merge linguist-generated",
];

/** Whether a cassette folder's attributes contain the block. @throws TapedeckError if they cannot be read. */
export async function hasAttributes(dir: string): Promise<boolean> {
  return (await attributesOf(dir)).replaceAll("\r\n", "\n").includes(LINES.slice(2).join("\n"));
}

/**
 * Appends the block unless it exists. Resolves to whether it was added.
 * @throws TapedeckError `tapedeck_cassette` where the disk refuses, or a link is in the file's place.
 */
export async function addAttributes(dir: string): Promise<boolean> {
  if (await hasAttributes(dir)) return false;
  const before = await attributesOf(dir);
  const gap = before === "" ? "" : before.endsWith("\n") ? "\n" : "\n\n";
  const text = `${before}${gap}${LINES.join("\n")}\n`;
  await runStorageTask(dir, () => replaceWhole(join(dir, ATTRIBUTES), text));
  return true;
}

function attributesOf(dir: string): Promise<string> {
  const read = readText(join(dir, ATTRIBUTES), { most: READ_LIMITS.config });
  return runStorageTask(dir, () => read.catch(recoverFromCodes(GONE, "")));
}
