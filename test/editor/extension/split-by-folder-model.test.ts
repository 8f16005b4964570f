import { describe, expect, it } from "vitest";
import { splitByFolder } from "../../../src/editor/extension/split-by-folder-model.ts";
import { addTagToArguments } from "../../../src/editor/window/ids.ts";
import { readTargets } from "../../../src/editor/calls/call-node-model.ts";

const API = "file:///projects/api";
const WEB = "file:///projects/web";

const tagOf = (uri: string): string | undefined => [API, WEB].find((tag) => uri.startsWith(`${tag}/`));

/** As the editor gives addresses. */
const uri = (text: string) => ({ scheme: "file", path: text.slice(7), toString: () => text });

const line = (folder: string, id: string) => ({ id, folder, subject: { kind: "recording" }, children: [] });

describe("which folder a command is for", () => {
  it("is given by its last argument, which the command does not receive, also after JSON", () => {
    const args: unknown[] = JSON.parse(JSON.stringify(addTagToArguments([{ finding: "m" }], WEB)));

    const parts = splitByFolder(args, tagOf);

    expect(parts).toEqual([{ tag: WEB, args: [{ finding: "m" }] }]);
    expect(readTargets(parts[0]?.args ?? [])).toEqual([{ finding: "m" }]);
  });

  it("is not given when a window has one folder: the arguments stay unchanged", () => {
    const args = addTagToArguments([{ finding: "m" }], undefined);

    expect(args).toEqual([{ finding: "m" }]);
    expect(splitByFolder(args, tagOf)).toEqual([{ tag: undefined, args: [{ finding: "m" }] }]);
  });

  it.each([
    ["a file of the Explorer", uri(`${WEB}/tests/a.test.ts`)],
    ["a lens", { uri: `${WEB}/tests/a.test.ts`, test: { path: ["a"], line: 3 } }],
    ["the menu of the line numbers", { uri: uri(`${WEB}/tests/a.test.ts`), lineNumber: 3 }],
    [
      "a test of the Test Explorer",
      { id: "a", label: "a", uri: uri(`${WEB}/a.test.ts`), children: { size: 0 } },
    ],
    [
      "a message of the Test Explorer",
      { test: { id: "a", label: "a", uri: uri(`${WEB}/a.test.ts`), children: { size: 0 } }, message: {} },
    ],
    ["a line of the tree", line(WEB, "1")],
  ])("is found from %s", (_what, argument) => {
    expect(splitByFolder([argument], tagOf)).toEqual([{ tag: WEB, args: [argument] }]);
  });

  it.each([
    ["nothing", []],
    ["a mode", ["strict"]],
    ["a recording's name", ["calls/openai/aa/bb.json"]],
    ["a file of no folder", [uri("file:///elsewhere/a.test.ts")]],
    ["what is made up", [{ folder: 7, uri: null }]],
  ])("is not found from %s", (_what, args) => {
    expect(splitByFolder(args, tagOf)).toEqual([{ tag: undefined, args }]);
  });

  it("splits the selection of the tree: each folder gets its own lines, the clicked one first", () => {
    const [a, b, c] = [line(API, "a"), line(WEB, "b"), line(WEB, "c")];

    const parts = splitByFolder([c, [a, b, c]], tagOf);

    expect(parts).toEqual([
      { tag: WEB, args: [c, [b, c]] },
      { tag: API, args: [a, [a]] },
    ]);
    expect(splitByFolder([a, [b, c]], tagOf)).toEqual([{ tag: API, args: [a, [b, c]] }]);
  });

  it("parts the tests that are selected in the Test Explorer", () => {
    const item = (at: string, id: string) => ({
      id,
      label: id,
      uri: uri(`${at}/${id}.test.ts`),
      children: { size: 0 },
    });
    const [a, b, c] = [item(API, "a"), item(WEB, "b"), item(API, "c")];

    expect(splitByFolder([a, b, c], tagOf)).toEqual([
      { tag: API, args: [a, c] },
      { tag: WEB, args: [b] },
    ]);
  });
});
