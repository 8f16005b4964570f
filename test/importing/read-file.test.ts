import { writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { readImportFile } from "../../src/importing/read-file.ts";
import { asProgram } from "../../scripts/bundling.mjs";
import { aProject } from "../cli/tapedeck.ts";

const entry = (id: number): object => ({
  startedDateTime: "2026-01-02T03:04:05.000Z",
  request: {
    method: "POST",
    url: "https://api.openai.com/v1/chat/completions",
    headers: Array.from({ length: 20 }, (_, at) => ({ name: `x-header-${at}`, value: `${id}` })),
    postData: { mimeType: "application/json", text: JSON.stringify({ id, text: "ü".repeat(9) }) },
  },
  response: { status: 200, headers: [], content: { mimeType: "text/plain", text: `reply ${id}` } },
});

function anArchive(text: string): string {
  const path = join(aProject(), "traffic.har");
  writeFileSync(path, text);
  return path;
}

const archiveOf = (entries: readonly object[]): string =>
  JSON.stringify({ log: { version: "1.2", creator: { name: "test" }, pages: [{ id: "p" }], entries } });

test("an archive of thousands of calls is read in three times the memory of its text", async () => {
  const text = archiveOf(Array.from({ length: 8_000 }, (_, id) => entry(id)));
  const memoryMib = Math.ceil((3 * text.length) / 1_048_576);
  const path = anArchive(text);
  const reader = join(dirname(path), "read-file.mjs");
  await build({ ...asProgram, entryPoints: ["src/importing/read-file.ts"], outfile: reader });
  const source = `import { readImportFile } from ${JSON.stringify(pathToFileURL(reader).href)};
    const { found } = await readImportFile(${JSON.stringify(path)}, undefined);
    let count = 0;
    for (const one of found) count += "request" in one ? 1 : 0;
    console.log(count);`;

  const count = execFileSync(
    process.execPath,
    [`--max-old-space-size=${memoryMib}`, "--input-type=module", "--eval", source],
    { encoding: "utf8" },
  );

  expect(count).toBe("8000\n");
});

test("the order of an archive's members changes nothing", async () => {
  const entries = [entry(1), entry(2)];
  const archives = [archiveOf(entries), JSON.stringify({ comment: "", log: { entries, pages: [] } })];

  const [first, second] = await Promise.all(
    archives.map(async (text) => {
      const read = await readImportFile(anArchive(text), undefined);
      return "found" in read ? [...read.found] : read;
    }),
  );

  expect(first).toHaveLength(2);
  expect(second).toEqual(first);
});

test("an archive with an entry that is not JSON is reported with the place in the file", async () => {
  const text = archiveOf([entry(1), entry(2)]).replace('"reply 2"', '"reply 2');

  expect(await readImportFile(anArchive(text), undefined)).toEqual({
    isDamaged: true,
    unreadable: `is not JSON: the text ends inside a string at line 1, column ${text.length + 1}`,
  });
});
