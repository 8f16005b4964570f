import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { user } from "../../src/client/make-message.ts";
import type { Message } from "../../src/client/message.ts";
import { scriptedClient } from "../../src/client/mock/mock-client.ts";
import { textOf } from "../../src/client/message.ts";
import { openTape, withTape, type TapeOptions } from "../../src/testing/tape.ts";
import { aFolder } from "../support/a-folder.ts";
import { anEcho } from "../support/an-echo.ts";
import { madeUpSecrets } from "../support/made-up-secrets.ts";

const TEST = { file: "a.test.ts", name: ["asks"], runner: "vitest" };
const HI = { messages: [user("hi")] };

test("a test that passes keeps what it recorded, and the next one is answered from it", async () => {
  const dir = `${aFolder()}/.tapedeck`;

  const recorded = await withTape(TEST, { dir, mode: "record" }, async (tape) => {
    const reply = await tape.client(scriptedClient(["hello"])).complete(HI);
    expect(tape.candidates).toHaveLength(1);
    return textOf(reply.message);
  });
  const replayed = await withTape(TEST, { dir }, async (tape) => {
    const reply = await tape.client(scriptedClient([])).complete(HI);
    return textOf(reply.message);
  });

  expect([recorded, replayed]).toEqual(["hello", "hello"]);
});

test("a test that fails keeps nothing and fails as it did", async () => {
  const dir = `${aFolder()}/.tapedeck`;

  const failing = withTape(TEST, { dir, mode: "record" }, async (tape) => {
    await tape.client(scriptedClient(["wrong"])).complete(HI);
    throw new Error("expected another answer");
  });

  await expect(failing).rejects.toThrow("expected another answer");
  expect(existsSync(dir)).toBe(false);
});

test("values that the test's process makes up match by origin, and the reply quotes those of this run", async () => {
  const dir = `${aFolder()}/.tapedeck`;
  const upstream = await anEcho();
  const ask = (options: TapeOptions) =>
    withTape(TEST, { dir, upstreams: { openai: upstream }, ...options }, async ({ fetch }) => {
      const number = Math.random().toString(36).slice(2, 10);
      const content = `Order ${randomUUID()}, run_${number}, in ${mkdtempSync(join(aFolder(), "job-"))}/x`;
      const reply = await fetch("https://api.openai.com/v1/chat/completions", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: "gpt-5-mini", messages: [{ role: "user", content }] }),
      });
      return { content, text: await reply.text() };
    });

  await ask({ mode: "record", beforePaidCall: async () => undefined });
  const { content, text } = await ask({ mode: "strict" });

  expect(text).toContain(`About ${content}`);
});

test("a default folder that a repository links out of itself is refused, and is used when it is named", async () => {
  const folder = aFolder();
  mkdirSync(join(folder, "repo", ".git"), { recursive: true });
  mkdirSync(join(folder, "out"));
  symlinkSync("../out", join(folder, "repo", ".tapedeck"));
  vi.spyOn(process, "cwd").mockReturnValue(join(folder, "repo"));
  onTestFinished(() => void vi.restoreAllMocks());

  expect(() => openTape(TEST, {})).toThrow(/a link out of the project.*Give dir: "\.tapedeck"/s);
  await openTape(TEST, { dir: ".tapedeck" }).end("passed");

  expect(readdirSync(join(folder, "out"))).toEqual([]);
});

test("within a test, what it recorded answers its further calls take by take", async () => {
  const dir = `${aFolder()}/.tapedeck`;
  const { tape, end } = openTape(TEST, { dir, mode: "record" });
  const client = tape.client(scriptedClient(["one", "two"]));

  const first = await client.complete(HI);
  const second = await client.complete(HI);
  await end("passed");
  const again = openTape(TEST, { dir });
  const replayed = again.tape.client(scriptedClient([]));
  const texts = [await replayed.complete(HI), await replayed.complete(HI), await replayed.complete(HI)];
  await again.end("passed");

  expect([first, second].map(({ message }) => textOf(message))).toEqual(["one", "two"]);
  expect(texts.map(({ message }) => textOf(message))).toEqual(["one", "two", "two"]);
});

test("the rules of the project spare a client of a test what changes with each run", async () => {
  const folder = aFolder();
  const dir = `${folder}/.tapedeck`;
  writeFileSync(`${folder}/tapedeck.jsonc`, '{ "normalise": [{ "replace": "$uuid" }] }');
  const asked = (): { readonly messages: Message[] } => ({ messages: [user(`Run ${crypto.randomUUID()}`)] });
  await withTape(TEST, { dir, mode: "record" }, (tape) =>
    tape.client(scriptedClient(["hello"])).complete(asked()),
  );

  const replayed = await withTape(TEST, { dir }, (tape) => tape.client(scriptedClient([])).complete(asked()));

  expect(textOf(replayed.message)).toBe("hello");
});

test("a strict miss fails the test with its text, even if the test catches it", async () => {
  const dir = `${aFolder()}/.tapedeck`;
  const body = { model: "gpt-4o", messages: [{ role: "user", content: "not recorded" }] };

  const byFetch = await failureOf(
    withTape(TEST, { dir, mode: "strict" }, async (tape) => {
      const reply = await tape.fetch("https://api.openai.com/v1/chat/completions", {
        method: "POST",
        body: JSON.stringify(body),
      });
      expect(reply.status).toBe(404);
      expect(tape.misses).toHaveLength(1);
    }),
  );
  const byClient = await failureOf(
    withTape(TEST, { dir }, async (tape) => {
      await tape
        .client(scriptedClient(["never asked"]))
        .complete(HI)
        .catch(() => undefined);
    }),
  );

  expect(byFetch).toMatch(/No recording for this gpt-4o call \("not recorded"\), key [0-9a-f]{8}…/);
  expect(byClient).toContain("No recording for this");
  expect(existsSync(dir)).toBe(false);
});

test("a secret fails the test if the project is set to fail, even if the test catches it, and otherwise is reported", async () => {
  const secret = madeUpSecrets()["GitHub token"] ?? "";
  const warnings = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  onTestFinished(() => warnings.mockRestore());
  const asked = async (
    policy: string,
  ): Promise<{ readonly failure: string; readonly isWritten: boolean }> => {
    const folder = aFolder();
    writeFileSync(`${folder}/tapedeck.jsonc`, JSON.stringify({ secrets: policy }));
    const dir = `${folder}/.tapedeck`;
    const failure = await failureOf(
      withTape(TEST, { dir, mode: "record" }, async (tape) => {
        const client = tape.client(scriptedClient(["done"]));
        await client.complete({ messages: [user(`Deploy with ${secret}`)] }).catch(() => undefined);
        return "none";
      }),
    );
    return { failure, isWritten: existsSync(`${dir}/calls`) };
  };

  const failing = await asked("fail");
  const dropping = await asked("drop");

  expect(failing.failure).toContain(
    "The response was not recorded: the request body contains what looks like a",
  );
  expect(failing.failure).toContain('"allowSecrets" lists values that are not secrets');
  expect(dropping.failure).toBe("none");
  expect([failing.isWritten, dropping.isWritten]).toEqual([false, false]);
  expect(warnings.mock.calls.map(([text]) => String(text))).toContainEqual(
    expect.stringContaining("The response was not recorded: the request body contains what looks like a"),
  );
});

test("a client of a test is answered leniently by the script of the test's own options, else of the project", async () => {
  const folder = aFolder();
  const dir = `${folder}/.tapedeck`;
  writeFileSync(`${folder}/tapedeck.jsonc`, '{ "lenient": { "script": ["of the project"] } }');
  const asked = async (options: TapeOptions): Promise<string> =>
    withTape(TEST, { dir, mode: "lenient", ...options }, async (tape) =>
      textOf((await tape.client(scriptedClient([])).complete(HI)).message),
    );

  expect(await asked({})).toBe("of the project");
  expect(await asked({ script: [{ reply: "of the test" }] })).toBe("of the test");
  expect(await asked({ defaultReply: "by default" })).toBe("by default");
});

test("the mode is that of TAPEDECK_MODE when none is given, and a wrong one is refused", async () => {
  const dir = aFolder();
  process.env["TAPEDECK_MODE"] = "lenient";
  try {
    const { tape, end } = openTape(TEST, { dir });
    await end("passed");

    expect(tape.mode).toBe("lenient");
    process.env["TAPEDECK_MODE"] = "rekord";
    expect(() => openTape(TEST, { dir })).toThrow('TAPEDECK_MODE is "rekord"');
  } finally {
    delete process.env["TAPEDECK_MODE"];
  }
});

async function failureOf(running: Promise<unknown>): Promise<string> {
  return running.then(
    () => "none",
    (error: Error) => error.message,
  );
}
