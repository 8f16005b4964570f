import { readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { inspectFile } from "../../../src/storage/check/inspect-file.ts";
import { createFolderStore } from "../../../src/storage/folder/folder-store.ts";
import { createProjectFile } from "../../../src/storage/local/project-file.ts";
import { aFolder } from "../../support/a-folder.ts";
import { aReplyOf } from "../../support/a-recording.ts";
import { madeUpSecrets } from "../../support/made-up-secrets.ts";

const { "GitHub token": token = "" } = madeUpSecrets();

/** Edits a recording of "hello" by hand and returns the findings. */
async function edited(edit: (text: string) => string, config?: unknown) {
  const dir = join(aFolder(), ".tapedeck");
  const { entry } = await createFolderStore(dir).save(aReplyOf("hello"));
  const file = join(dir, entry);
  writeFileSync(file, edit(readFileSync(file, "utf8")));
  if (config !== undefined) writeFileSync(join(dir, "../tapedeck.jsonc"), JSON.stringify(config));
  const project = createProjectFile(dir, { onChange: () => {} });
  await project.reload();
  return { dir, entry, found: await inspectFile(dir, entry, project.current), project };
}

describe("a recording that a person has saved", () => {
  it("is fine if it was only worded otherwise", async () => {
    expect((await edited((text) => text.replace("hello", "good morning"))).found).toEqual([]);
  });

  it("is reported to contain a secret, with its line and without the secret", async () => {
    const { found, dir, entry } = await edited((text) => text.replace("hello", `use ${token}`));

    const line =
      readFileSync(join(dir, entry), "utf8")
        .split("\n")
        .findIndex((one) => one.includes(token)) + 1;
    expect(found).toEqual([
      {
        rule: "secret",
        entry,
        line,
        column: expect.any(Number),
        message: expect.stringContaining("GitHub token"),
      },
    ]);
    expect(JSON.stringify(found)).not.toContain(token.slice(0, 12));
  });

  it("is reported to contain one also when unreadable, which is reported as well", async () => {
    const { found } = await edited((text) => text.replace('"hello"', `"${token}" oops`));

    expect(found.map(({ rule }) => rule).sort()).toEqual(["secret", "unreadable"]);
  });

  it("is accepted when the project excludes that value, and warned about when it allows secrets", async () => {
    const isNone = await edited((text) => text.replace("hello", token), { allowSecrets: [token] });
    const isAllowed = await edited((text) => text.replace("hello", token), { secrets: "allow" });

    expect(isNone.found).toEqual([]);
    expect(isAllowed.found).toMatchObject([{ rule: "allowed-secret" }]);
  });

  it("is not looked at when no recording can be, nor through a link", async () => {
    const { dir, entry, project } = await edited((text) => text.replace("hello", token));
    const folder = join(dir, dirname(entry));
    renameSync(folder, join(dir, "elsewhere"));
    symlinkSync(join(dir, "elsewhere"), folder);

    expect(await inspectFile(dir, entry, project.current)).toEqual([]);
    expect(await inspectFile(dir, "calls/notes.json", project.current)).toEqual([]);
  });
});
