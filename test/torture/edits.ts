import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Engine } from "../../src/core/answer/engine.ts";
import type { Mode } from "../../src/core/call/call.ts";
import { createRun } from "../../src/core/answer/runs.ts";
import { pick, seeded, type Random } from "../support/seeded.ts";
import { anEngineOn } from "./folder-engine.ts";
import type { Torture } from "./torture.ts";

/** Ways in which editors save. */
const WAYS = ["in place", "by renaming"] as const;

export const edits: Torture = {
  name: "edits by hand while recordings are made, or made anew",
  promise: "the user's text is kept",
  quick: 8,
  short: 60,
  long: 20_000,
  async run({ seed, cases }) {
    const random = seeded(seed);
    const dir = mkdtempSync(join(tmpdir(), "tapedeck-torture-"));
    const failures: string[] = [];
    const counts = { before: 0, after: 0 };
    let turn = "first";
    const engine = anEngineOn(dir, { replyTo: () => reply(turn, () => someTime(random)) });
    await ask(engine, "record");
    const file = onlyFileIn(join(dir, "calls"));
    for (let at = 0; at < cases; at += 1) {
      turn = `answer ${at}`;
      const way = pick(random, WAYS);
      const mine = readFileSync(file, "utf8").replace(/(?:first|answer|edit) ?\d*/, () => `edit ${at}`);
      const isNew = random() < 0.5;
      if (isNew) for (const name of readdirSync(dirname(file))) rmSync(join(dirname(file), name));
      const called = ask(engine, "refresh");
      await someTime(random);
      await save(file, mine, way);
      const outcome = await called;
      counts[outcome === "recorded" ? "after" : "before"] += 1;
      if (readFileSync(file, "utf8") !== mine)
        failures.push(`edit ${at}, ${isNew ? "new and " : ""}saved ${way}, is gone; its call was ${outcome}`);
    }
    rmSync(dir, { recursive: true });
    const note = `${counts.before} before the answer was written, ${counts.after} after it`;
    return { cases, failures, note };
  },
};

const BODY = Buffer.from(JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hi" }] }));

/** Replies after `think`, during which an edit can happen. */
function reply(text: string, think: () => Promise<void>) {
  const choices = [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }];
  const body = JSON.stringify({ id: "x", object: "chat.completion", model: "m", choices });
  async function* bytes(): AsyncGenerator<Uint8Array> {
    await think();
    yield Buffer.from(body);
  }
  return { status: 200, headers: [["content-type", "application/json"] as const], body: bytes() };
}

async function ask(engine: Engine, mode: Mode): Promise<string> {
  const { settled } = await engine.answer({
    provider: "openai",
    method: "POST",
    path: "/v1/chat/completions",
    headers: [["content-type", "application/json"]],
    body: BODY,
    run: createRun({ id: mode, mode }),
    signal: new AbortController().signal,
  });
  return (await settled).outcome;
}

/** From no time at all to somewhat more than a call takes. */
function someTime(random: Random): Promise<void> {
  const ms = random() * 30;
  return new Promise((resolve) => (ms < 10 ? setImmediate(resolve) : setTimeout(resolve, ms)));
}

async function save(file: string, text: string, way: (typeof WAYS)[number]): Promise<void> {
  if (way === "in place") return writeFile(file, text);
  const other = join(dirname(dirname(file)), "4913");
  await writeFile(other, text);
  await rename(other, file);
}

function onlyFileIn(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return join(folder, names.find((name) => name.endsWith(".json")) ?? "");
}
