import { join } from "node:path";
import { readEntry } from "../../core/cassette/address.ts";
import { handleTapedeckErrors } from "../../core/base/errors.ts";
import type { Project } from "../local/project-file.ts";
import { readText, isWithoutLinks } from "../folder/read-file.ts";
import { readRecordingAt } from "../folder/recording-reader.ts";
import { byPlace, type CheckFinding, createUnreadableFinding } from "./findings.ts";
import { createSecretFinder } from "./secret-findings.ts";

/**
 * Finds problems of one file, for example after it was saved: that it cannot be read, and secrets in it. Finds nothing
 * where recordings cannot be. `dir` is the cassette folder, `entry` a path in it with "/".
 */
export async function inspectFile(
  dir: string,
  entry: string,
  project: Project,
): Promise<readonly CheckFinding[]> {
  const address = readEntry(entry);
  const folder = entry.slice(0, entry.lastIndexOf("/"));
  if ("wrong" in address || !isWithoutLinks(dir, folder)) return [];
  const text = await readText(join(dir, entry)).catch(() => undefined);
  if (text === undefined) return [];
  const read = await readRecordingAt(entry, join(dir, entry), dir).then(
    (recording) => ({ recording }),
    handleTapedeckErrors((broken) => ({ broken })),
  );
  const secrets = await createSecretFinder(project);
  const found = "recording" in read ? { recording: read.recording } : {};
  return [
    ...secrets.inRecording({ address, ...found }, text),
    ...("broken" in read ? [createUnreadableFinding(entry, read.broken)] : []),
  ].sort(byPlace);
}
