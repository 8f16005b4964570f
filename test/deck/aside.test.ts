import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { asProgram } from "../../scripts/bundling.mjs";
import type { CallEvent, Mode } from "../../src/core/call.ts";
import { openDeck, type Deck } from "../../src/deck/deck.ts";
import { noteSecrets } from "../../src/storage/local/own-scanner.ts";
import { sha256 } from "../../src/storage/folder/sha256.ts";
import { aFolder, aLastingFolder } from "../support/a-folder.ts";
import { aServer } from "../support/a-server.ts";
import { nextCall } from "./a-project.ts";

/** The thread's program; it notes the jobs that it does, and which came with long bytes of its own instead of shared ones. */
async function aProgram(): Promise<{ readonly program: string; readonly jobs: () => readonly string[] }> {
  const { path: folder, remove } = aLastingFolder();
  afterAll(remove);
  const worker = join(folder, "worker.mjs");
  await build({ ...asProgram, entryPoints: ["src/deck/aside/worker.ts"], outfile: worker });
  const log = join(folder, "jobs.txt");
  const program = join(folder, "noting.mjs");
  writeFileSync(log, "");
  writeFileSync(
    program,
    `import { appendFileSync } from "node:fs";
     import { parentPort } from "node:worker_threads";
     import ${JSON.stringify(worker)};
     const isCopied = (value) =>
       value instanceof Uint8Array
         ? value.byteLength > 65_536 && !(value.buffer instanceof SharedArrayBuffer)
         : typeof value === "object" && value !== null && Object.values(value).some(isCopied);
     parentPort.on("message", ({ job, input }) =>
       appendFileSync(${JSON.stringify(log)}, job + (isCopied(input) ? " copied" : "") + "\\n"));`,
  );
  return { program, jobs: () => readFileSync(log, "utf8").split("\n").slice(0, -1) };
}

const { program, jobs } = await aProgram();

/** What must not be in a file. */
const SECRET = `sk-proj-${"Zx7Kd9Qm2Wp4".repeat(4)}`;
/** What looks like nothing, and was given as a key. */
const GIVEN = "Plain7Key0Of5Large2Bodies";
noteSecrets([GIVEN]);
const BASE64 = Buffer.from("A picture of a parcel. ".repeat(11_000)).toString("base64");
const WORDS = 'Order 17 is "late",\nsays https://a.example/x again. '.repeat(6_000);
const NUMBERS = `[${"0.125,-3e-7,12345678901234567890,".repeat(9_000)}1]`;

const chat = (content: unknown): string =>
  JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content }] });
const answer = (content: string, more = ""): string =>
  `{"model":"gpt-4o","choices":[{"index":0,"message":{"role":"assistant","content":${JSON.stringify(content)}},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":3}${more}}`;

interface Case {
  readonly asked: string;
  readonly replied: string;
  readonly contentType?: string;
  readonly project?: object;
}

/** A call recorded and replayed, and all that was told and written of it. */
async function lifeOf(
  { asked, replied, contentType = "application/json", project = {} }: Case,
  asideProgram?: string,
) {
  const root = aFolder();
  const dir = join(root, ".tapedeck");
  writeFileSync(join(root, "tapedeck.jsonc"), JSON.stringify(project));
  const upstream = await aServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "application/json" }).end(replied);
    });
  });
  const deck = openDeck({
    dir,
    upstreams: { openai: upstream },
    env: {},
    ...(asideProgram && { asideProgram }),
  });
  onTestFinished(() => deck.close());
  const server = await deck.listen();
  const ask = async (mode: Mode, body = asked) => {
    const told = nextCall(deck);
    const { url } = server.admit(deck.createRun(mode));
    const reply = await fetch(`${url}/openai/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": contentType, authorization: "Bearer sk-mine-0123456789" },
      body,
    });
    return { status: reply.status, text: await reply.text(), event: plain(await told) };
  };
  const lives = { recorded: await ask("record"), replayed: await ask("strict"), again: await ask("strict") };
  const missed = [
    await ask("strict", asked.replace("gpt-4o", "gpt-4")),
    await ask("strict", chat("Is my parcel here?")),
  ];
  return { ...lives, missed, files: filesIn(dir), ...(await all(deck)) };
}

/** What does not depend on when it was. */
function plain({ ms: _ms, at: _at, run: _run, firstByteMs: _first, miss, ...event }: CallEvent) {
  if (miss === undefined) return event;
  const request = { ...miss.request, body: sha256(miss.request.body) };
  return {
    ...event,
    miss: { ...miss, request, nearest: miss.nearest && { ...miss.nearest, recordedAt: "" } },
  };
}

async function all(deck: Deck) {
  const entries = (await deck.store.list()).map(({ entry }) => entry);
  const read = await Promise.all(entries.map((entry) => deck.store.read(entry)));
  const facts = await Promise.all(read.map((recording) => deck.factsOf({ recording })));
  const recordings = read.map(({ recordedAt: _at, request, reply, ...recording }) => ({
    ...recording,
    request: { ...request, body: sha256(request.body) },
    reply: { ...reply, body: sha256(reply.body) },
  }));
  return { recordings, facts };
}

function filesIn(dir: string): readonly (readonly [string, string])[] {
  if (!existsSync(dir)) return [];
  const paths = readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((path) =>
    /^(?:calls|blobs)\W.*\w{64}/.test(path),
  );
  const text = (path: string): string =>
    sha256(readFileSync(join(dir, path), "latin1").replace(/"recordedAt": "[^"]*"/, ""));
  return paths.sort().map((path) => [path, text(path)]);
}

const LARGE: readonly (readonly [name: string, of: Case, jobs: string])[] = [
  [
    "a file in a request",
    { asked: chat([{ type: "file", file: { file_data: BASE64 } }]), replied: answer("A parcel.") },
    "readRequest judge encode charge nearest note",
  ],
  ["words in a reply", { asked: chat("Where is it?"), replied: answer(WORDS) }, "judge encode charge facts"],
  [
    "numbers in a reply",
    { asked: chat("Which?"), replied: answer("ok", `,"data":${NUMBERS}`) },
    "judge encode charge facts",
  ],
  [
    "a request that is not JSON",
    { asked: `{"model":"gpt-4o","messages":"${WORDS}`, replied: answer("never") },
    "readRequest",
  ],
  ["a reply that is cut off", { asked: chat("All?"), replied: answer(WORDS).slice(0, -9) }, "judge charge"],
  [
    "a secret where it is not redacted",
    { asked: chat(`${WORDS} ${SECRET}`), replied: answer("ok"), project: { secrets: "drop" } },
    "readRequest judge charge nearest",
  ],
  [
    "a secret where it is redacted",
    {
      asked: chat(`${WORDS} ${SECRET}, ${GIVEN}`),
      replied: answer(`${SECRET} it is`),
      project: { secrets: "redact" },
    },
    "redact readRequest judge encode charge nearest note",
  ],
  [
    "a request under rules",
    {
      asked: chat(`${WORDS} of 2026-11-25`),
      replied: answer("ok"),
      project: { normalise: [{ ignore: "/messages/0/content" }] },
    },
    "readRequest judge encode charge nearest",
  ],
];

it.each(LARGE)("%s becomes the same in a thread of its own as where it came in", async (_, of, expected) => {
  const before = jobs().length;
  const aside = await lifeOf(of, program);
  const done = new Set(jobs().slice(before));

  expect(aside).toEqual(await lifeOf(of));
  expect([...done].filter((job) => job !== "decode").join(" ")).toBe(expected);
  expect(done.has("decode")).toBe(expected.includes("encode"));
});

it("a short call never leaves where it came in", async () => {
  const before = jobs().length;
  await lifeOf({ asked: chat("Hello?"), replied: answer("Hello.") }, program);

  expect(jobs().slice(before)).toEqual([]);
});

it("what a thread leaves undone is done where the call came in", async () => {
  const dying = join(aFolder(), "dying.mjs");
  writeFileSync(
    dying,
    'import { parentPort } from "node:worker_threads"; parentPort.on("message", () => process.exit(1));',
  );
  const [, of] = LARGE[0] ?? [];
  if (of === undefined) throw new Error("there is no case");

  expect(await lifeOf(of, dying)).toEqual(await lifeOf(of));
});
