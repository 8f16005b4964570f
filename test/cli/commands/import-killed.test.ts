import { once } from "node:events";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createFolderStore } from "../../../src/storage/folder/folder-store.ts";
import { ANSWERED, ASKED } from "../../support/other-recorders.ts";
import { start } from "../a-process.ts";
import { anArchive } from "../imports.ts";
import { aProject, tapedeck } from "../tapedeck.ts";

const FILES = 240;

/** An archive of two calls: a unique one, and one that every file has with a different answer. */
const har = (file: number): string =>
  JSON.stringify(
    anArchive(
      [`Say ${file}`, "Say hi"].map((content) => {
        const message = { role: "assistant", content: `Answer ${file}` };
        const answered = { ...ANSWERED, choices: [{ index: 0, message, finish_reason: "stop" }] };
        return { asked: { ...ASKED, messages: [{ role: "user", content }] }, answered };
      }),
    ),
  );

it("an import that is killed leaves whole recordings, and the next one goes on without making any twice", async () => {
  const names = Array.from({ length: FILES }, (_, file) => `file-${String(file).padStart(3, "0")}.har`);
  const cwd = aProject(Object.fromEntries(names.map((name, file) => [`hars/${name}`, har(file)])));
  const store = createFolderStore(join(cwd, ".tapedeck"));

  const child = start(["import", "hars"], { cwd });
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stderr ?? process.stdin })) {
    said.push(line);
    child.kill("SIGKILL");
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "close");
  const left = await store.list();
  const read = await Promise.all(left.map(({ entry }) => store.read(entry)));
  const again = await tapedeck(["import", "hars"], { cwd });

  expect(said).toEqual([`100 of ${FILES} files read`]);
  expect(child.signalCode).toBe("SIGKILL");
  expect(read.length).toBeGreaterThan(100);
  expect(read.length).toBeLessThan(2 * FILES);
  expect(again.stderr).toContain(`${2 * FILES - left.length} calls imported into .tapedeck`);
  expect(again.stderr).toContain(`${left.length} already recorded`);
  expect(await store.list()).toHaveLength(2 * FILES);
  const answers = await Promise.all(
    (await store.list()).map(async ({ entry }) => (await store.read(entry)).cassettes),
  );
  expect(answers.flat()).toHaveLength(2 * FILES);
});
