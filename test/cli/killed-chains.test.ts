import { cpSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { createFolderStore } from "../../src/storage/folder/folder-store.ts";
import { aStatefulServer } from "../support/a-stateful-provider.ts";
import { casesOf } from "../support/cases.ts";
import { servingProcess } from "./a-process.ts";
import { aProject, serving, type Served } from "./tapedeck.ts";

const KILLER = pathToFileURL(join(import.meta.dirname, "..", "support", "kill-at.mjs")).href;

interface Turn {
  readonly outcome: string | null;
  readonly id: string | undefined;
}

/** Asks questions, each after the one before, until one has no reply. */
async function askInTurn({ ready }: Served, questions: readonly string[]): Promise<readonly Turn[]> {
  const turns: Turn[] = [];
  for (const input of questions) {
    const before = turns.at(-1)?.id;
    const body = {
      model: "gpt-5-mini",
      input,
      ...(before !== undefined && { previous_response_id: before }),
    };
    const turn = await fetch(`${ready.env["OPENAI_BASE_URL"]}/responses`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer sk-test-0123456789" },
      body: JSON.stringify(body),
    }).then(
      async (reply) => ({
        outcome: reply.headers.get("x-tapedeck-outcome"),
        id: ((await reply.json()) as { readonly id?: string }).id,
      }),
      () => undefined,
    );
    if (turn === undefined) break;
    turns.push(turn);
    if (turn.id === undefined) break;
  }
  return turns;
}

const RECORDED = ["one", "two", "three", "four"];
const EDITED = ["one", "two", "three", "FOUR"];

async function aRecordedChain() {
  const provider = await aStatefulServer();
  const upstream = ["--upstream", `openai=${provider.origin}`];
  const cwd = aProject();
  const served = await serving(["--mode", "record", ...upstream], { cwd });
  await askInTurn(served, RECORDED);
  await served.end();
  provider.forget();
  return { cwd, args: ["--mode", "record", ...upstream] };
}

/** Edits the last call of a chain in a process that is killed before a change of its folder. Returns the number of changes. */
async function recordAgain(chain: Awaited<ReturnType<typeof aRecordedChain>>, killAt: number) {
  const cwd = aProject();
  cpSync(chain.cwd, cwd, { recursive: true });
  const env = { NODE_OPTIONS: `--import ${KILLER}`, TAPEDECK_KILL_AT: String(killAt) };
  const served = await servingProcess(chain.args, { cwd, env });
  const turns = await askInTurn(served, EDITED);
  const { stderr, signal } = await served.end();
  return { cwd, turns, isKilled: signal === "SIGKILL", changes: stderr.match(/^change .*/gm) ?? [] };
}

/** Returns the id in the recorded request of each question. */
async function readUsedIds(cwd: string, questions: readonly string[]): Promise<readonly unknown[]> {
  const store = createFolderStore(join(cwd, ".tapedeck"));
  const used = new Map<unknown, unknown>();
  for (const { entry } of await store.list()) {
    const { request } = await store.read(entry);
    const body = JSON.parse(Buffer.from(request.body).toString()) as Readonly<Record<string, unknown>>;
    used.set(body["input"], body["previous_response_id"]);
  }
  return questions.map((question) => used.get(question));
}

it("replays a chain as the old or the new one, whole, after Tapedeck was killed at any change of its folder", async () => {
  const chain = await aRecordedChain();
  const { changes, turns: whole } = await recordAgain(chain, Infinity);
  expect(whole.map(({ outcome }) => outcome)).toEqual(["replayed", "replayed", "replayed", "recorded"]);
  const all = changes.map((_, at) => at + 1);
  // The names are given one after another.
  const names = all.filter((number) => changes[number - 1]?.endsWith("renameSync"));
  const chosen = casesOf({ quick: names.filter((_, at) => at % 2 === 0), long: all });

  const found = [];
  for (const killAt of chosen) {
    const { cwd, turns, isKilled } = await recordAgain(chain, killAt);
    const strict = await serving(["--mode", "strict"], { cwd });
    const isNew = (await askInTurn(strict, EDITED)).every(({ outcome }) => outcome === "replayed");
    const questions = isNew ? EDITED : RECORDED;
    const replayed = await askInTurn(strict, questions);
    await strict.end();
    found.push({
      at: changes[killAt - 1],
      isKilled,
      isNew: isNew || turns[3]?.outcome === "recorded",
      outcomes: replayed.map(({ outcome }) => outcome),
      used: await readUsedIds(cwd, questions),
      isNewRecorded: isNew,
      ids: replayed.map(({ id }) => id),
    });
  }

  for (const { at, isKilled, isNew, isNewRecorded, outcomes, ids, used } of found) {
    expect({ at, isKilled, outcomes }).toEqual({ at, isKilled: true, outcomes: Array(4).fill("replayed") });
    expect({ at, used }).toEqual({ at, used: [undefined, ...ids.slice(0, 3)] });
    expect({ at, isNewRecorded }).toEqual({ at, isNewRecorded: isNew });
  }
  expect(new Set(found.map(({ isNew }) => isNew))).toEqual(new Set([true, false]));
});
