import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { formatOrigins } from "../../src/core/view/miss.ts";
import type { CallEvent, Mode } from "../../src/core/call/call.ts";
import { clock } from "../../src/deck/clock.ts";
import { openDeck } from "../../src/deck/deck.ts";
import { aFolder } from "../support/a-folder.ts";
import { anEcho } from "../support/an-echo.ts";

const FRIDAY = Date.parse("2026-11-27T10:14:09.123Z");
const DAY = 86_400_000;
const ONE = "5c42d7e5-76cf-4a17-aa7f-9b7936f48b43";
const TWO = "f8e97497-9df6-43a3-8969-589415fdcd55";
const THREE = "0f8fad5b-d9cb-469f-a165-70867728950e";
const FOUR = "7c9e6679-7425-40de-944b-e07fc1f90ae7";

afterEach(() => vi.restoreAllMocks());

/** A project whose provider repeats the question, and a function that asks in a separate run. */
async function aProject(config = "{}") {
  const dir = aFolder();
  writeFileSync(join(dir, "tapedeck.jsonc"), config);
  const openai = await anEcho();
  const ask = async (mode: Mode, calls: readonly Question[], now = FRIDAY) => {
    vi.spyOn(clock, "now").mockReturnValue(now);
    const deck = openDeck({
      dir: join(dir, ".tapedeck"),
      upstreams: { openai },
      env: {},
    });
    const events: CallEvent[] = [];
    deck.engine.onCall((event) => events.push(event));
    const { url } = (await deck.listen({ roots: [dir] })).admit(deck.createRun(mode));
    const texts: string[] = [];
    for (const { content, values = [], file = "a.test.mjs", ...more } of calls) {
      const about = encodeURIComponent(JSON.stringify({ v: 1, file: join(dir, file), name: ["asks"] }));
      const made = values.length === 0 ? "" : `;v=${values.join(",")}`;
      const answer = await fetch(`${url}/openai/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-tapedeck-test": about + made },
        body: JSON.stringify({ model: "gpt-5-mini", messages: [{ role: "user", content }], ...more }),
      });
      texts.push(answer.ok ? contentOf(await answer.text()) : `status ${answer.status}`);
    }
    await deck.close();
    return { texts, events, dir };
  };
  return { dir, ask };
}

interface Question {
  readonly content: string;
  /** The report of the hooks. */
  readonly values?: readonly string[];
  readonly file?: string;
  readonly stream?: boolean;
  readonly prompt_cache_key?: string;
  readonly client_metadata?: Readonly<Record<string, string>>;
}

const contentOf = (text: string): string => {
  const [, data = text] = /^data: (.*)$/m.exec(text) ?? [];
  const { choices } = JSON.parse(data) as { choices: [{ message?: Message; delta?: Message }] };
  return (choices[0].message ?? choices[0].delta)?.content ?? "";
};
interface Message {
  readonly content: string;
}
const outcomes = (events: readonly CallEvent[]) => events.map(({ outcome }) => outcome);

test("a call with a new UUID, folder, port, and date is found, and the reply has the present ones", async () => {
  const { ask, dir } = await aProject();
  const question = (uuid: string, folder: string, port: number, date: string): Question => ({
    content: `${uuid} ${folder}/notes.txt http://localhost:${port} ${date} ${dir}/src`,
    values: [`u${uuid}`, `f${encodeURIComponent(folder)}:job-`, `p${port}`],
  });
  const asked = question(TWO, "/var/tmp/job-77", 50_112, "2026-11-29");

  await ask("record", [question(ONE, "/tmp/job-12", 41_234, "2026-11-27")]);
  const { texts, events } = await ask("strict", [asked], FRIDAY + 2 * DAY);

  expect(texts).toEqual([`About ${asked.content}`]);
  expect(events[0]?.restored).toEqual(
    expect.arrayContaining(["uuid 1", "temp folder job- 1", "port 1", "now: YYYY-#-#"]),
  );
});

test("a streamed reply has the present folder once, although it is below the recorded one", async () => {
  const { ask } = await aProject();
  const question = (folder: string): Question => ({
    content: `Read ${folder}/notes.txt`,
    values: [`f${encodeURIComponent(folder)}:job-`],
    stream: true,
  });

  await ask("record", [question("/tmp/job-12")]);
  const { texts } = await ask("strict", [question("/tmp/job-12/job-34")]);

  expect(texts).toEqual(["About Read /tmp/job-12/job-34/notes.txt"]);
});

test("a temporary folder matches as coding agents name it", async () => {
  const { ask } = await aProject();
  const question = (chance: string): Question => ({
    content: `.gemini/tmp/work-${chance.toLowerCase()} ../work-${chance}/a.js .claude/projects/-tmp-work-${chance}/m`,
    values: [`f%2Ftmp%2Fwork-${chance}:work-`],
  });

  await ask("record", [question("a1B2c3")]);
  const { texts } = await ask("strict", [question("Xy9Zt8")]);

  expect(texts).toEqual([`About ${question("Xy9Zt8").content}`]);
});

test("a commit that the run made in a temporary folder matches, and an older one does not", async () => {
  const { ask } = await aProject();
  const question = (name: string, at: number): Question => {
    const folder = join(aFolder(), "repo-a1b2c3");
    mkdirSync(join(folder, ".git/logs"), { recursive: true });
    const entry = `${"0".repeat(40)} ${name.repeat(5)} Test <t@example.com> ${at / 1_000} +0000\tcommit (initial): first`;
    writeFileSync(join(folder, ".git/logs/HEAD"), `${entry}\n`);
    return {
      content: `HEAD is ${name.slice(0, 7)}, or ${name.repeat(5)}`,
      values: [`f${encodeURIComponent(folder)}:repo-`],
    };
  };
  const [monday, friday] = [FRIDAY - 4 * DAY, FRIDAY - 123];

  await ask("record", [question("3ec2afb1", friday)]);
  const { events } = await ask("strict", [question("098483cd", friday), question("87e29db4", monday)]);

  expect(outcomes(events)).toEqual(["replayed", "miss"]);
});

test("ids by which a coding agent names itself match, unless the question has them as well", async () => {
  const { ask } = await aProject();
  const question = (session: string, device: string, content = "Hi"): Question => ({
    content,
    prompt_cache_key: `ses_${session.replaceAll("-", "")}`,
    client_metadata: { turn: JSON.stringify({ session, device }), device },
  });

  await ask("record", [question(ONE, TWO), question(ONE, TWO, `What did ${ONE} ask?`)]);
  const { events } = await ask("strict", [
    question(THREE, FOUR),
    question(THREE, FOUR, `What did ${THREE} ask?`),
    { ...question(ONE, TWO), prompt_cache_key: "support" },
  ]);

  expect(outcomes(events)).toEqual(["replayed", "miss", "miss"]);
});

test("a recording has the request as it was sent, with the origins beside it", async () => {
  const { ask, dir } = await aProject();

  const { events } = await ask("record", [{ content: `Order ${ONE}`, values: [`u${ONE}`] }]);
  const file = readFileSync(join(dir, ".tapedeck", events[0]?.entry ?? ""), "utf8");

  expect(file).toContain(`Order ${ONE}`);
  expect((JSON.parse(file) as { request: { values: object } }).request.values).toEqual({ [ONE]: "uuid 1" });
});

test.each([
  ["a UUID that no process reported", { content: `Order ${ONE}` }, { content: `Order ${TWO}` }],
  [
    "the same id in another place",
    { content: `Keep ${ONE}, drop it`, values: [`u${ONE}`] },
    { content: `Keep it, drop ${TWO}`, values: [`u${TWO}`] },
  ],
  [
    "a number that is another process's port",
    { content: "Is 41234 a prime?", values: ["p41234"] },
    { content: "Is 50112 a prime?", values: ["p50112"] },
  ],
  [
    "folders with another chosen name",
    { content: "Read /tmp/in-77/a", values: ["f%2Ftmp%2Fin-77:in-"] },
    { content: "Read /tmp/out-78/a", values: ["f%2Ftmp%2Fout-78:out-"] },
  ],
])("%s is another question", async (_, recorded: Question, asked: Question) => {
  const { ask } = await aProject();

  await ask("record", [recorded]);
  const { events } = await ask("strict", [asked], FRIDAY + DAY);

  expect(outcomes(events)).toEqual(["miss"]);
});

test("a date in the test's file is typed, even on that very day", async () => {
  const { ask, dir } = await aProject();
  writeFileSync(join(dir, "one.test.mjs"), 'ask("What happened on 2026-11-27?")');
  writeFileSync(join(dir, "two.test.mjs"), 'ask("What happened on 2026-11-28?")');
  const one = { content: "What happened on 2026-11-27?", file: "one.test.mjs" };

  await ask("record", [one]);
  const { events } = await ask(
    "strict",
    [one, { content: "What happened on 2026-11-28?", file: "two.test.mjs" }],
    FRIDAY + DAY,
  );

  expect(outcomes(events)).toEqual(["replayed", "miss"]);
});

test("a fixture's date that was recorded on its day is found on the next", async () => {
  const { ask } = await aProject();
  const asked = (uuid: string): Question => ({ content: `${uuid} on 2026-11-27`, values: [`u${uuid}`] });

  await ask("record", [asked(ONE)]);
  const { texts, events } = await ask("strict", [asked(TWO)], FRIDAY + DAY);

  expect(outcomes(events)).toEqual(["replayed"]);
  expect(texts).toEqual([`About ${TWO} on 2026-11-27`]);
});

test("a recording from before origins were known still answers", async () => {
  const { ask, dir } = await aProject('{ "origins": "off" }');
  const asked = { content: `Order ${ONE}`, values: [`u${ONE}`] };

  await ask("record", [asked]);
  const off = await ask("strict", [{ content: `Order ${TWO}`, values: [`u${TWO}`] }]);
  writeFileSync(join(dir, "tapedeck.jsonc"), "{}");
  const { events } = await ask("strict", [asked]);

  expect(outcomes(off.events)).toEqual(["miss"]);
  expect(outcomes(events)).toEqual(["replayed"]);
});

test('with "requests", replies are replayed byte for byte', async () => {
  const { ask } = await aProject('{ "origins": "requests" }');

  await ask("record", [{ content: `Order ${ONE}`, values: [`u${ONE}`] }]);
  const { texts, events } = await ask("strict", [{ content: `Order ${TWO}`, values: [`u${TWO}`] }]);

  expect(texts).toEqual([`About Order ${ONE}`]);
  expect(events[0]?.restored).toBeUndefined();
});

test("a miss names the origins of its values, or that none is known", async () => {
  const { ask } = await aProject();
  const known = (text: string, uuid: string): Question => ({
    content: `${text} order ${uuid}`,
    values: [`u${uuid}`],
  });
  await ask("record", [known("Delete the old", ONE), { content: `Refund job ${THREE} now` }]);

  const { events } = await ask("strict", [
    known("Delete the new", TWO),
    { content: `Refund job ${FOUR} now` },
  ]);

  expect(events.map(({ miss }) => miss?.message)).toEqual([
    expect.stringContaining(`Matched by origin: ${TWO} (uuid 1).`),
    expect.stringContaining("No origin is known for the values that differ."),
  ]);
});

test("a miss of another model does not ask where its name comes from", () => {
  const at = "/model";
  const path = (model: string) => `/v1beta/models/${model}:generateContent`;
  const changes = [
    { at, recorded: "claude-sonnet-4-5", asked: "claude-opus-4-5" },
    { at: "path", recorded: path("gemini-2.5-flash-001"), asked: path("gemini-2.5-flash-002") },
    { at: "/size", recorded: "1024x1024", asked: "1536x1024" },
  ];

  expect(formatOrigins(changes.map((one) => ({ ...one, kind: "changed", text: "" })))).toBe("");
});

test("the folders of the machine are no difference, and a folder beside them is", async () => {
  const { ask, dir } = await aProject();
  mkdirSync(join(dir, "src"));
  await ask("record", [{ content: `Read ${dir}/src and ${homedir()}/.rc` }]);

  const { events, texts } = await ask("strict", [
    { content: `Read ${dir}/src and ${homedir()}/.rc` },
    { content: `Read ${dir}-old/src and ${homedir()}/.rc` },
  ]);

  expect(outcomes(events)).toEqual(["replayed", "miss"]);
  expect(texts[0]).toContain(`${dir}/src`);
});
