import { once } from "node:events";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createFolderStore } from "../../../src/storage/folder/folder-store.ts";
import { ADDRESS } from "../../support/other-recorders.ts";
import { start } from "../a-process.ts";
import { aProject, tapedeck } from "../tapedeck.ts";

const FILES = 240;

/** A HAR of two calls: a unique one, and one that every file has with a different answer. */
function har(file: number): string {
  const entries = [`Say ${file}`, "Say hi"].map((said) => {
    const body = { model: "gpt-4o-mini", messages: [{ role: "user", content: said }] };
    const message = { role: "assistant", content: `Answer ${file}` };
    const reply = { object: "chat.completion", choices: [{ index: 0, message, finish_reason: "stop" }] };
    const mimeType = "application/json";
    return {
      request: {
        method: "POST",
        url: ADDRESS,
        headers: [],
        postData: { mimeType, text: JSON.stringify(body) },
      },
      response: { status: 200, headers: [], content: { mimeType, text: JSON.stringify(reply) } },
    };
  });
  return JSON.stringify({ log: { entries } });
}

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
