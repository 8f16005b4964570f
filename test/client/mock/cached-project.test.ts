import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  cachedClient,
  collect,
  fixedClient,
  functionClient,
  textOf,
  user,
  type CachedClient,
  type CachedOptions,
  type ChatClient,
  type ChatRequest,
} from "../../../src/client/index.ts";
import { openDeck } from "../../../src/deck/deck.ts";
import { createMemoryStore } from "../../../src/storage/memory-store.ts";
import { aFolder } from "../../support/a-folder.ts";
import { madeUpSecrets } from "../../support/made-up-secrets.ts";
import { seeded } from "../../support/seeded.ts";

const asking = (text: string): ChatRequest => ({ messages: [user(text)] });

const SECRET = madeUpSecrets()["GitHub token"] ?? "";

/** A client over a folder with this tapedeck.jsonc. */
function inProject(config: object, inner: ChatClient, options: Partial<CachedOptions> = {}): InProject {
  const folder = aFolder();
  writeFileSync(join(folder, "tapedeck.jsonc"), JSON.stringify(config));
  const deck = openDeck({ dir: join(folder, ".tapedeck") });
  onTestFinished(() => deck.close());
  const heard: string[] = [];
  const onOutcome: CachedOptions["onOutcome"] = (outcome, _, reason) =>
    void heard.push(reason === undefined ? outcome : `${outcome}: ${reason}`);
  const over = { store: deck.store, project: deck.project, mode: "record", onOutcome, ...options } as const;
  return {
    heard,
    client: cachedClient(inner, over),
    strict: cachedClient(inner, { ...over, mode: "strict" }),
    written: async () =>
      readdirSync(folder, { recursive: true, encoding: "utf8", withFileTypes: true })
        .filter((one) => one.isFile() && one.name !== "tapedeck.jsonc")
        .map((one) => readFileSync(join(one.parentPath, one.name), "utf8"))
        .join("\n"),
  };
}

interface InProject {
  readonly heard: readonly string[];
  readonly client: CachedClient;
  readonly strict: CachedClient;
  /** Returns the text of all files in the folder except the project's configuration. */
  readonly written: () => Promise<string>;
}

test.each([
  ["asked", `Deploy with ${SECRET}`, "done", "request body"],
  ["answered", "Which token?", `It is ${SECRET}.`, "response"],
])(
  "an answer is not recorded when a secret is %s, and the message has its kind and place",
  async (_, ask, say, where) => {
    const { client, heard, written } = inProject(
      { secrets: "drop" },
      fixedClient(say, { pieces: { characters: 5 } }),
    );

    const whole = await client.complete(asking(ask));
    const streamed = await collect(client.stream(asking(ask)));

    expect([whole, streamed].map(({ message }) => textOf(message))).toEqual([say, say]);
    expect(heard).toHaveLength(2);
    for (const one of heard) {
      expect(one).toContain(`the ${where}`);
      expect(one).toContain('a GitHub token ("ghp_"…, 40 characters)');
    }
    expect(await written()).toBe("");
  },
);

test("where the project redacts, the client has its own words and the recording has neither side's secret", async () => {
  const echo = functionClient(({ messages }) => messages.map((one) => textOf(one)).join(""));
  const { client, strict, heard, written } = inProject({ secrets: "redact" }, echo);
  const other = madeUpSecrets(seeded(9))["GitHub token"] ?? "";

  const recorded = await collect(client.stream(asking(`Deploy with ${SECRET}`)));
  const replayed = await collect(strict.stream(asking(`Deploy with ${other}`)));

  expect(textOf(recorded.message)).toBe(`Deploy with ${SECRET}`);
  expect(textOf(replayed.message)).toBe("Deploy with [redacted: GitHub token]");
  expect(heard).toEqual(["recorded", "replayed"]);
  expect(await written()).toContain("[redacted: GitHub token]");
  expect(await written()).not.toContain(SECRET);
});

test("where the project fails, the call fails after its answer; what is allowed is recorded", async () => {
  const failing = inProject({ secrets: "fail" }, fixedClient("done"));
  const allowing = inProject({ secrets: "fail", allowSecrets: ["^ghp_"] }, fixedClient("done"));

  const failed = failing.client.complete(asking(`Deploy with ${SECRET}`));

  await expect(failed).rejects.toMatchObject({ kind: "validation", where: "recording", retryable: false });
  await expect(failed).rejects.toThrow("the request body contains what looks like a GitHub token");
  expect(await failing.written()).toBe("");
  await allowing.client.complete(asking(`Deploy with ${SECRET}`));
  expect(allowing.heard).toEqual(["recorded"]);
});

test("without a project no secret is recorded either, nor a credential of the request's headers", async () => {
  const store = createMemoryStore();
  const outcomes: string[] = [];
  const onOutcome = (outcome: string): void => void outcomes.push(outcome);
  const client = cachedClient(fixedClient("Your key is abc-123-def-456."), {
    store,
    mode: "record",
    onOutcome,
  });

  await client.complete(asking(`Deploy with ${SECRET}`));
  await client.complete({ ...asking("a"), settings: { headers: { "X-Api-Key": "abc-123-def-456" } } });

  expect(outcomes).toEqual(["forwarded", "forwarded"]);
  expect(await store.list()).toEqual([]);
});

test("lenient mode answers as the project configures: by its script, its reply, or its mock", async () => {
  const asked = async (lenient: object, texts: readonly string[]): Promise<readonly string[]> => {
    const { client } = inProject(
      { lenient },
      functionClient(() => "never"),
      { mode: "lenient" },
    );
    const replies: string[] = [];
    for (const text of texts) {
      replies.push(
        await collect(client.stream(asking(text))).then(
          ({ message }) => textOf(message),
          (error: Error) => error.message,
        ),
      );
    }
    return replies;
  };

  const script = [{ text: "weather", reply: "Rain." }, "Anything.", { model: "another", reply: "never" }];
  const [first, second, third] = await asked({ script }, ["hello", "the weather?", "more?"]);
  expect([first, second]).toEqual(["Anything.", "Rain."]);
  expect(third).toContain("The script has no reply for this");
  expect(await asked({ reply: "Fixed." }, ["a", "b"])).toEqual(["Fixed.", "Fixed."]);
  expect(await asked({ mock: "echo" }, ["say this"])).toEqual(["say this"]);
});
