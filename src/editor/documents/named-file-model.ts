import { localize } from "../../core/base/localize.ts";
import * as path from "node:path";
import { existsSync } from "node:fs";
import { createWrongUsage } from "../../core/base/errors.ts";
import { makeVisibleLine } from "../../core/base/visible.ts";
import { getPathInside, isOutside } from "../../storage/inside.ts";

/**
 * Returns the path of a file that a recording or a test process names. Undefined if the name leads out of the workspace
 * folder, directly or through a link, because recordings can come from other people.
 */
export function findNamedFile(folder: string, name: string): string | undefined {
  const file = path.resolve(folder, name);
  if (getPathInside(folder, file) === undefined) return undefined;
  return existsSync(file) && isOutside(file, folder) ? undefined : file;
}

/** As `findNamedFile`. @throws TapedeckError if the file is outside the folder or does not exist */
export function expectNamedFile(folder: string, name: string): string {
  const file = findNamedFile(folder, name);
  const shown = makeVisibleLine(name);
  if (file === undefined)
    throw createWrongUsage(
      localize('"{0}" is outside the workspace folder, so it was not opened.', shown),
      localize(
        "A recording names it as the file of its test. Record the test again, or correct the name in the recording.",
      ),
    );
  if (!existsSync(file))
    throw createWrongUsage(
      localize('The test file "{0}" does not exist.', shown),
      localize("It was renamed or deleted after its call was made. Run the tests again to find their calls."),
    );
  return file;
}
