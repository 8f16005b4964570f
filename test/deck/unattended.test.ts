import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openDeck } from "../../src/deck/deck.ts";
import type { DeckOptions } from "../../src/deck/deck-options.ts";
import { openTape } from "../../src/testing/tape.ts";
import { aFolder } from "../support/a-folder.ts";

afterEach(() => vi.unstubAllEnvs());

/** A name that no resolver knows: a call that is let go ends with 404. */
const upstreams = { openai: "https://upstream.invalid" };

async function asked(fetch: typeof globalThis.fetch): Promise<string> {
  const reply = await fetch("https://upstream.invalid/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "a" }] }),
  });
  return `${reply.status} ${await reply.text()}`;
}

async function askedOfADeck(options: Partial<DeckOptions> = {}): Promise<string> {
  const deck = openDeck({ dir: join(aFolder(), ".tapedeck"), upstreams, ...options });
  const text = await asked(deck.fetch(deck.createRun("record")));
  await deck.close();
  return text;
}

describe("with CI set", () => {
  it.each(["true", "1", "TRUE", "woodpecker"])(
    "to %s, a program makes no paid call on its own",
    async (value) => {
      vi.stubEnv("CI", value);

      expect(await askedOfADeck()).toMatch(/^402 .*no paid calls are made in CI/);
    },
  );

  it.each(["", "0", "false"])("to %o, it may", async (value) => {
    vi.stubEnv("CI", value);

    expect(await askedOfADeck()).not.toMatch(/^402/);
  });

  it("a program makes paid calls if its author allows it", async () => {
    vi.stubEnv("CI", "true");

    expect(await askedOfADeck({ beforePaidCall: async () => undefined })).not.toMatch(/^402/);
  });

  it("a test fixture pays by a variable of the command, and not by a mode in a file", async () => {
    vi.stubEnv("CI", "true");
    const test = { file: "a.test.ts", name: ["a"] };
    const dir = join(aFolder(), ".tapedeck");

    vi.stubEnv("TAPEDECK_MODE", undefined);
    const inFile = await openTape(test, { dir, upstreams, mode: "record" });
    const refused = await asked(inFile.tape.fetch);
    vi.stubEnv("TAPEDECK_MODE", "record");
    const inCommand = await openTape(test, { dir, upstreams });
    const allowed = await asked(inCommand.tape.fetch);

    expect(refused).toMatch(/^402 /);
    expect(allowed).not.toMatch(/^402/);
    await Promise.all([inFile.end("failed"), inCommand.end("failed")]);
  });
});
