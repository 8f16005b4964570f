import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { resolveCassetteDir } from "../../../src/editor/session/cassette-dir-model.ts";
import { aFolder } from "../../support/a-folder.ts";

/** A repository with a folder in it, and a folder beside it. */
function aRepository(): { readonly repository: string; readonly beside: string } {
  const above = aFolder();
  const [repository, beside] = [join(above, "repository"), join(above, "beside")];
  mkdirSync(join(repository, ".git"), { recursive: true });
  mkdirSync(join(repository, "shared"));
  mkdirSync(beside);
  return { repository, beside };
}

it("a folder that is there, or is not there yet, is used", () => {
  const { repository } = aRepository();
  const expected = { dir: join(repository, ".tapedeck") };

  expect(resolveCassetteDir(repository, ".tapedeck")).toEqual(expected);
  mkdirSync(expected.dir);
  expect(resolveCassetteDir(repository, ".tapedeck")).toEqual(expected);
});

it("a link out of the repository is not followed, and the message explains how to allow it", () => {
  const { repository, beside } = aRepository();
  symlinkSync(beside, join(repository, ".tapedeck"));

  const { dir, fault } = resolveCassetteDir(repository, ".tapedeck");

  expect(dir).toBe(join(repository, ".tapedeck-link-not-followed"));
  expect(fault).toContain(`it is a link out of the project, to ${beside}.`);
  expect(fault).toContain("enter the target of the link in the setting tapedeck.folder");
  expect(resolveCassetteDir(repository, beside)).toEqual({ dir: beside });
});

it("a link that leads nowhere is not followed either", () => {
  const { repository } = aRepository();
  symlinkSync(join(repository, "..", "gone"), join(repository, ".tapedeck"));

  expect(resolveCassetteDir(repository, ".tapedeck").fault).toContain("gone");
});

it("a link within the repository is followed", () => {
  const { repository } = aRepository();
  symlinkSync(join(repository, "shared"), join(repository, ".tapedeck"));

  expect(resolveCassetteDir(repository, ".tapedeck")).toEqual({ dir: join(repository, ".tapedeck") });
});
