import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CacheFiles, createCacheFiles } from "../../../src/editor/metagpt/cache-files-model.ts";
import { type CallNode, readTargets } from "../../../src/editor/calls/call-node-model.ts";
import { parseFilter } from "../../../src/editor/calls/call-filter-model.ts";
import { createDocumentAddress, readSubject } from "../../../src/editor/documents/document-uri-model.ts";
import { loadRspCache } from "../../support/recorded-traffic.ts";
import { aFolder } from "../../support/a-folder.ts";
import { getCachedEntry } from "../../../src/core/cassette/cached-ref.ts";
import { aCallsTree, treeText } from "../calls-tree/a-calls-tree.ts";

const FILE = "tests/data/rsp_cache.json";
const SNAKE = "You are X#SYSTEM_MSG_END#Write code.\nWrite a snake game\n```";
const HELLO = '[{"role": "user", "content": "hello in python"}]';
const CACHE = {
  [SNAKE]: "```python\nprint('snake')\n```",
  [HELLO]: { language: "python", code: "print(1)" },
};
const TEXT = JSON.stringify(CACHE, undefined, 4);

describe("MetaGPT's caches in the tree", () => {
  it("are a group each, with the last line of the prompt, the first of the answer, and the line in the file", async () => {
    const { files, tree } = aWorkspace({ [FILE]: TEXT });

    const before = await tree();
    await open(files);
    const after = await tree();

    expect(before[0]).toBe(`- MetaGPT cache — ${FILE}`);
    expect(after).toEqual([
      `- MetaGPT cache — ${FILE}  2`,
      `  circle-outline "Write a snake game"  → print('snake') · line 2`,
      `  circle-outline "hello in python"  → { "language": "python", "code": "print(… · line 3`,
    ]);
  });

  it("are narrowed by the filter, which also looks into answers", async () => {
    const { files, model } = aWorkspace({ [FILE]: TEXT, "other/rsp_cache.json": '{"a": "b"}' });
    model.shown.filterText = "snake";
    await open(files);

    const found = await treeText(model);
    model.shown.filterText = "print(1)";
    const inAnswers = await treeText(model);
    model.shown.filterText = "model:gpt";
    const byModel = await treeText(model);

    expect(found.slice(0, 2)).toEqual([
      `- MetaGPT cache — ${FILE}  1 of 2`,
      expect.stringContaining("Write a snake game"),
    ]);
    expect(found).toHaveLength(2);
    expect(inAnswers[1]).toContain("hello in python");
    expect(byModel).toEqual([]);
  });

  it("are spoken without signs, and one entry as one", async () => {
    const { files } = aWorkspace({ [FILE]: TEXT });
    const spoken = async (filter: string): Promise<readonly string[]> => {
      const roots = await files.roots([FILE], { ...VIEW, filter: parseFilter(filter) });
      return roots.map((node) => node.spoken);
    };

    const unread = await spoken("");
    const [first] = await open(files);
    const whole = await spoken("");
    const part = await spoken("snake");

    expect(first?.spoken).toBe(`"Write a snake game", answered print('snake'), line 2 of MetaGPT's cache`);
    expect([unread, whole, part]).toEqual([
      [`MetaGPT cache ${FILE}`],
      [`MetaGPT cache ${FILE}, 2 entries`],
      [`MetaGPT cache ${FILE}, 1 of 2, 2 entries`],
    ]);
    const { files: single } = aWorkspace({ [FILE]: '{"a": "b"}' });
    await open(single);
    const [line] = await single.roots([FILE], VIEW);
    expect(line?.spoken).toBe(`MetaGPT cache ${FILE}, 1 entry`);
  });

  it("show the error of a broken file, leave it unchanged, and recover once it is repaired", async () => {
    const broken = '{\n  "a": "b",\n  oops\n}';
    const { files, tree, write, read } = aWorkspace({ [FILE]: broken });

    const [, row] = await tree();
    const kept = read(FILE);
    write(FILE, '{"a": "b"}');
    files.changed(FILE);
    await open(files);
    const mended = await tree();

    expect(row).toMatch(/^ {2}error rsp_cache.json {2}3:3 · /);
    expect(kept).toBe(broken);
    expect(mended[1]).toContain('"a"  → b · line 1');
  });

  it("show an entry as a recording, with its place in the file", async () => {
    const { files } = aWorkspace({ [FILE]: TEXT });
    const [first] = await entries(files);

    const found = await files.find(refOf(first));

    expect([found.key, found.line, found.column]).toEqual([SNAKE, 2, 5]);
    expect(new TextDecoder().decode(found.recording.reply.body)).toContain("print('snake')");
    expect(new TextDecoder().decode(found.recording.request.body)).toContain("Write a snake game");
  });

  it("lose an entry when it is deleted and have it back, byte by byte, when that is undone", async () => {
    const { files, read } = aWorkspace({ [FILE]: TEXT });
    const [first, second] = await entries(files);

    const one = await files.remove(refOf(first));
    const another = await files.remove(refOf(second));
    const empty = read(FILE);
    await another.restore();
    await one.restore();

    expect(JSON.parse(empty)).toEqual({});
    expect(read(FILE)).toBe(TEXT);
  });

  it("do not write a file that broke meanwhile, and say so for an entry that is gone", async () => {
    const { files, write, read } = aWorkspace({ [FILE]: TEXT });
    const [first, second] = await entries(files);
    write(FILE, "{ oops");

    const fromBroken = await files.remove(refOf(first)).catch((error: Error) => error.message);
    const kept = read(FILE);
    write(FILE, "{}");
    files.changed(FILE);
    const gone = await files.find(refOf(second)).catch((error: Error) => error.message);

    expect(fromBroken).toContain(`${FILE}:1:3 cannot be read`);
    expect(kept).toBe("{ oops");
    expect(gone).toBe(`${FILE} no longer contains this entry.`);
  });

  it("have 10,000 entries in stretches", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, at) => [`${at}\n${"p".repeat(2_000)}\nAsk ${at}`, "a".repeat(500)]),
    );
    const { files, tree } = aWorkspace({ [FILE]: JSON.stringify(many, undefined, 4) });

    await open(files);
    const lines = await tree((node) => node.label.startsWith("MetaGPT") || node.label.startsWith("9,501"));

    expect(lines.slice(0, 2)).toEqual([`- MetaGPT cache — ${FILE}  10000`, "  - 1 to 500  500"]);
    expect(lines.at(-1)).toContain('"Ask 9999"');
    expect(lines).toHaveLength(1 + 20 + 500);
  });
});

it("a file of MetaGPT's own kind shows all its entries", async () => {
  const { files } = aWorkspace({ [FILE]: loadRspCache() });

  const nodes = await entries(files);
  const found = await Promise.all(nodes.map((node) => files.find(refOf(node))));

  expect(nodes).toHaveLength(425);
  expect(new Set(found.map(({ key }) => key)).size).toBe(425);
  expect(nodes.filter(({ label }) => label === '""').length).toBeLessThan(3);
});

it("an entry passes through URIs and commands as plain data", async () => {
  const { files } = aWorkspace({ [FILE]: TEXT });
  const nodes = await entries(files);
  const targets = nodes.map((node) => ({ entry: getCachedEntry(refOf(node)) }));

  const { query } = createDocumentAddress({ of: targets[0] ?? { entry: "" }, part: "all" }, "a title");

  expect(readSubject(query)).toEqual({ of: targets[0], part: "all" });
  expect(readTargets([nodes[0], nodes])).toEqual(targets);
  expect(readTargets([targets[0], undefined])).toEqual([targets[0]]);
});

/** A workspace folder with these files, and the tree over them. */
function aWorkspace(content: Readonly<Record<string, string>>) {
  const folder = aFolder();
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  for (const [file, text] of Object.entries(content)) write(file, text);
  const files = createCacheFiles({
    folder,
    onDidRead: () => undefined,
  });
  const { model } = aCallsTree({ caches: (view) => files.roots(Object.keys(content), view) });
  return {
    files,
    model,
    write,
    read: (file: string) => readFileSync(join(folder, file), "utf8"),
    tree: (opens?: (node: CallNode) => boolean) => treeText(model, opens),
  };
}

const VIEW = { filter: parseFilter(""), opened: new Map<string, boolean>() };

/** Opens the file's line, and waits until it was read. */
async function open(files: CacheFiles): Promise<readonly CallNode[]> {
  const [line] = await files.roots([FILE], VIEW);
  await files.find({ file: FILE, digest: "" }).catch(() => undefined);
  return (await line?.children()) ?? [];
}

const entries = open;

function refOf(node: CallNode | undefined) {
  if (node?.subject.kind !== "cached") throw new Error("not an entry");
  return node.subject.ref;
}
