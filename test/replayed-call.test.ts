import { createServer } from "node:http";
import { Session } from "node:inspector/promises";
import type { AddressInfo } from "node:net";
import { createRequire } from "node:module";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { peers } from "../scripts/bundles.mjs";
import { forNode } from "../scripts/bundling.mjs";
import type * as DeckFile from "../src/deck/deck.ts";
import type { Miss } from "../src/core/call/call.ts";
import { aFolder } from "./support/a-folder.ts";

const CHAT = "/v1/chat/completions";
const HEADERS = { "content-type": "application/json" };
const asking = (content: string): string =>
  JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content }] });

const library = buildLibrary();

async function buildLibrary(): Promise<string> {
  const outfile = join(mkdtempSync(join(tmpdir(), "tapedeck-library-")), "library.cjs");
  await build({
    ...forNode,
    entryPoints: ["src/deck/deck.ts"],
    outfile,
    format: "cjs",
    external: peers.flatMap((name) => [name, `${name}/*`]),
    define: { "import.meta.url": JSON.stringify(pathToFileURL(outfile).href) },
  });
  return outfile;
}

afterAll(async () => rmSync(dirname(await library), { recursive: true }));

/** A deck as one file, where each of these texts is answered in strict mode. */
async function aBuiltDeck(
  texts: readonly string[],
  upstreams: Readonly<Record<string, string>> = {},
): Promise<DeckFile.Deck> {
  // A copy for each test, whose functions have not run yet.
  const outfile = join(aFolder(), "library.cjs");
  copyFileSync(await library, outfile);
  const { openDeck } = createRequire(import.meta.url)(outfile) as typeof DeckFile;
  const dir = join(aFolder(), ".tapedeck");
  const first = openDeck({ dir });
  const missed: Miss[] = [];
  first.engine.onCall(({ miss }) => missed.push(...(miss === undefined ? [] : [miss])));
  const fetch = first.fetch(first.createRun("strict"));
  for (const text of texts)
    await fetch(`https://api.openai.com${CHAT}`, { method: "POST", headers: HEADERS, body: asking(text) });
  for (const miss of missed) await first.store.save(first.compose(miss, { text: "hello" }));
  await first.close();
  await setTimeout(100); // until the file system's clock distinguishes later changes from these
  const deck = openDeck({ dir, upstreams });
  onTestFinished(() => deck.close());
  return deck;
}

/** Returns a function that lists the source files whose functions ran since the last call. */
async function aCounter(): Promise<() => Promise<readonly string[]>> {
  const session = new Session();
  session.connect();
  onTestFinished(() => session.disconnect());
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  return async () => {
    const { result } = await session.post("Profiler.takePreciseCoverage");
    return [
      ...new Set(result.filter(({ url }) => url.endsWith("library.cjs")).flatMap(sourcesThatRan)),
    ].sort();
  };
}

interface Script {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
  }[];
}

function sourcesThatRan({ url, functions }: Script): string[] {
  const marks = [...readFileSync(fileURLToPath(url), "utf8").matchAll(/^\/\/ (src\/\S+)$/gm)];
  return functions.flatMap(({ functionName, ranges: [whole] }) => {
    const isModule = functionName === "" && whole?.startOffset === 0;
    if (whole === undefined || whole.count === 0 || isModule) return [];
    return marks.findLast(({ index }) => index <= whole.startOffset)?.[1] ?? [];
  });
}

test("a replayed call goes through few files: 15", async () => {
  const texts = ["one", "two", "three", "four"];
  const deck = await aBuiltDeck(texts);
  const { url } = (await deck.listen()).admit(deck.createRun("strict"));
  // Over a connection that stays.
  const call = async (text = "four"): Promise<void> => {
    const reply = await fetch(`${url}/openai${CHAT}`, {
      method: "POST",
      headers: HEADERS,
      body: asking(text),
    });
    expect(await reply.text()).toContain("hello");
  };
  const files = await aCounter();

  for (const text of texts.slice(0, 3)) await call(text);
  await files();
  await call();
  const first = await files();

  expect(first).toContain("src/core/answer/engine.ts");
  expect(first.slice(15)).toEqual([]);
});

test("a recorded call goes through few files: 45", async () => {
  const reply = { choices: [{ message: { role: "assistant", content: "hello" }, finish_reason: "stop" }] };
  const upstream = createServer((_, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(reply));
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void upstream.close());
  const { port } = upstream.address() as AddressInfo;
  const deck = await aBuiltDeck([], { openai: `http://127.0.0.1:${port}` });
  const { url } = (await deck.listen()).admit(deck.createRun("record"));
  const call = async (text: string): Promise<void> => {
    const answer = await fetch(`${url}/openai${CHAT}`, {
      method: "POST",
      headers: HEADERS,
      body: asking(text),
    });
    expect(await answer.text()).toContain("hello");
    expect(answer.headers.get("x-tapedeck-outcome")).toBe("recorded");
  };
  const files = await aCounter();

  for (const text of ["one", "two", "three"]) await call(text);
  await files();
  await call("four");
  const recorded = await files();

  expect(recorded).toContain("src/core/answer/engine.ts");
  expect(recorded.slice(45)).toEqual([]);
});

test("a first miss beside one small recording goes through few files: 35", async () => {
  const deck = await aBuiltDeck(["What is the capital of France?"]);
  const { url } = (await deck.listen()).admit(deck.createRun("strict"));
  const call = (text: string): Promise<Response> =>
    fetch(`${url}/openai${CHAT}`, { method: "POST", headers: HEADERS, body: asking(text) });
  const files = await aCounter();
  expect(await (await call("What is the capital of France?")).text()).toContain("hello");
  await files();

  const reply = await call("What is the capital of Spain?");
  const text = await reply.text();
  const ran = await files();

  expect(text).toContain('\\"France\\" → \\"Spain\\"');
  expect(ran).toContain("src/core/match/nearest/nearest.ts");
  expect(ran.slice(35)).toEqual([]);
});
