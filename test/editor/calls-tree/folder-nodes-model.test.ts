import { describe, expect, it } from "vitest";
import {
  findInFolder,
  createFolderRoots,
  createIdInFolder,
  type TreeFolder,
} from "../../../src/editor/calls-tree/folder-nodes-model.ts";
import { aCallsTree, aChat, aMiss, anEvent, aTest, treeText, type CallsUnderTest } from "./a-calls-tree.ts";

const NONE = new Map<string, boolean>();

function folderOf(name: string, { model, session }: CallsUnderTest): TreeFolder {
  const missing = session.findings.length;
  return { tag: `file:///projects/${name}`, name, mode: "strict", missing, model };
}

async function twoFolders() {
  const [api, web] = [aCallsTree(), aCallsTree()];
  const { entry } = await api.store.save(aChat("Hello", { test: aTest("tests/a.test.ts", "greets") }));
  await web.store.save(aChat("Hello", { test: aTest("tests/a.test.ts", "greets") }));
  web.session.addCall(anEvent({ outcome: "miss", miss: aMiss("What is missing?") }));
  return { entry, api, web, folders: [folderOf("api", api), folderOf("web", web)] };
}

describe("the tree of several folders", () => {
  it("has a line for each, with its mode and missing calls, and its calls under it", async () => {
    const { folders } = await twoFolders();

    const text = await treeText({ roots: () => createFolderRoots(folders, NONE) });

    const own = text.filter((line) => /^\S|^ {2}\S/u.test(line));
    expect(own).toEqual([
      "root-folder api  strict",
      "  - Missing  0",
      "  - New  0",
      "  - Recordings  1",
      "root-folder web  strict · 1 missing call",
      "  - Missing  1",
      "  - New  0",
      "  - Recordings  1",
    ]);
  });

  it("has no such line when there is one folder", async () => {
    const { api, folders } = await twoFolders();

    const roots = await createFolderRoots(folders.slice(0, 1), NONE);

    expect(roots.map(({ id }) => id)).toEqual((await api.model.roots()).map(({ id }) => id));
    expect(await createFolderRoots([], NONE)).toEqual([]);
  });

  it("names lines of the same call in two folders differently, and shows their folders", async () => {
    const { folders } = await twoFolders();
    const [api, web] = await createFolderRoots(folders, NONE);

    const inApi = await api?.children();
    const inWeb = await web?.children();

    expect(inApi?.map(createIdInFolder)).toEqual(inWeb?.map(createIdInFolder));
    expect(new Set([...(inApi ?? []), ...(inWeb ?? [])].map(({ id }) => id)).size).toBe(6);
    expect(new Set(inWeb?.map(({ folder }) => folder))).toEqual(new Set(["file:///projects/web"]));
  });

  it("finds a call's line with all rows above it", async () => {
    const { entry, folders } = await twoFolders();
    const [, web] = folders;
    if (!web) throw new Error("two folders");

    const node = await findInFolder(web, { entry }, { isOnly: false, opened: NONE });

    const above: string[] = [];
    for (let one = node?.parent; one; one = one.parent) above.push(one.label);
    expect(above).toEqual(["greets", "tests/a.test.ts", "Recordings", "web"]);
    expect((await findInFolder(web, { entry }, { isOnly: true, opened: NONE }))?.folder).toBeUndefined();
  });

  it("keeps a folder closed that a person closed", async () => {
    const { folders } = await twoFolders();
    const [api] = await createFolderRoots(folders, NONE);

    const [closed, other] = await createFolderRoots(folders, new Map([[api?.id ?? "", false]]));

    expect([closed?.expand, other?.expand]).toEqual(["closed", "open"]);
  });
});
