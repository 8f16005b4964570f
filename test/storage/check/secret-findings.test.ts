import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createSecretFinder } from "../../../src/storage/check/secret-findings.ts";
import { createProjectFile } from "../../../src/storage/local/project-file.ts";
import { aFolder } from "../../support/a-folder.ts";
import { madeUpSecrets } from "../../support/made-up-secrets.ts";

const { "OpenAI key": key = "" } = madeUpSecrets();

async function foundIn(dir: string) {
  const project = createProjectFile(dir, { onChange: () => {} });
  return (await createSecretFinder(project.current)).inBlobs(dir);
}

it("a secret in a blob is found in any surroundings, and reported without its value", async () => {
  const dir = aFolder();
  mkdirSync(join(dir, "blobs"));
  const picture = Buffer.concat([
    Buffer.alloc(2_000, 0xff),
    Buffer.from(`\0key=${key}\0`),
    Buffer.alloc(9, 1),
  ]);
  writeFileSync(join(dir, "blobs", "ab".repeat(32)), picture);
  writeFileSync(join(dir, "blobs", "cd".repeat(32)), Buffer.alloc(2_000, 0xff));

  const found = await foundIn(dir);

  expect(found).toMatchObject([{ rule: "secret", entry: `blobs/${"ab".repeat(32)}` }]);
  expect(JSON.stringify(found)).not.toContain(key.slice(0, 12));
});

it("blobs behind a link are ignored", async () => {
  const [dir, elsewhere] = [aFolder(), aFolder()];
  writeFileSync(join(elsewhere, "ab".repeat(32)), key);
  symlinkSync(elsewhere, join(dir, "blobs"));

  expect(await foundIn(dir)).toEqual([]);
});
