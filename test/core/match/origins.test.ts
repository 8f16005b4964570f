import { expect, test } from "vitest";
import { ValuePool, type ValueKind } from "../../../src/core/call/value-pool.ts";
import { computeSha256 as sha256 } from "../../../src/storage/folder/read-file.ts";
import { parseJson } from "../../../src/core/base/json/json-parse.ts";
import { computeKey } from "../../../src/core/match/key/key.ts";
import { findValues, listValueTexts } from "../../../src/core/match/origins/find-values.ts";
import { AGENT_CALLS, SUITE_CALLS } from "../../fixtures/origins/calls.ts";
import { CI, createWorld, DESK, type World } from "../../fixtures/origins/world.ts";
import { QUESTIONS } from "../../fixtures/origins/questions.ts";

const PATH = "/v1/chat/completions";

function keyIn(world: World, body: unknown): string {
  const { home, project, host, user, now } = world;
  const places = Object.entries({ project, home, host, user }).map(([kind, text]) => ({
    kind: kind as ValueKind,
    text,
    order: 0,
  }));
  const pool = new ValuePool();
  for (const [kind, text] of world.reported) pool.add(kind, text);
  const tree = parseJson(JSON.stringify(body));
  const values = findValues([PATH, ...listValueTexts(tree)], {
    pool,
    places,
    now,
    since: now - 60_000,
    zones: [0],
  });
  const keyed = { provider: "openai", operation: "chat.completions", method: "POST", path: PATH } as const;
  return computeKey({ ...keyed, body: { kind: "json", tree }, values }, sha256);
}

test.each([
  ["coding agents", AGENT_CALLS, []],
  // A user's name without a word that announces it may be anybody's.
  ["test suites", SUITE_CALLS, ["all of a test's own"]],
])(
  "calls of %s have the same key on another day, in another folder, on another machine",
  (_, calls, others) => {
    const missed = calls.filter(([, ask]) => {
      const [desk, ci] = [createWorld(DESK), createWorld(CI)];
      return keyIn(desk, ask(desk)) !== keyIn(ci, ask(ci));
    });

    expect(calls).toHaveLength(40);
    expect(missed.map(([what]) => what)).toEqual(others);
  },
);

test("different questions have different keys", () => {
  const merged = QUESTIONS.filter(([one, other]) => {
    const [desk, ci] = [createWorld(DESK), createWorld(CI)];
    return keyIn(desk, one) === keyIn(ci, other);
  });

  expect(QUESTIONS.length).toBeGreaterThanOrEqual(200);
  expect(merged).toEqual([]);
});

const ask = (content: string): unknown => ({ model: "gpt-4o", messages: [{ role: "user", content }] });

test.each<[string, (world: World) => string]>([
  ["Rome<uuid>", (w) => `Rome${w.uuid()}`],
  ["user42<uuid>x", (w) => `user42${w.uuid()}x`],
  ["req<32 digits>", (w) => `Find req${w.hex(16)}.`],
  ["bed2<32 digits>fade", (w) => `bed2${w.hex(16)}fade`],
  ["<32 digits><uuid>", (w) => `${w.hex(16)}${w.uuid()}`],
])("%s, an id joined to a word, matches by origin, and the word stays in the key", (_, write) => {
  const keyOf = (settings: typeof DESK, joined = ""): string => {
    const world = createWorld(settings);
    return keyIn(world, ask(joined + write(world)));
  };

  expect(keyOf(DESK)).toBe(keyOf(CI));
  expect(keyOf(DESK, "a")).toBe(keyOf(CI, "a"));
  expect(new Set(["", "a", "0", "-"].map((joined) => keyOf(CI, joined))).size).toBe(4);
});

test.each([
  ["2027-01-01", "2026-12-31T20:00:00Z", 300],
  ["31 December 2026", "2027-01-01T03:00:00Z", -300],
  ["2026-12-31", "2026-12-31T20:00:00Z", 0],
])("the date %s is found at %s where clocks are %d minutes ahead of UTC", (date, time, zone) => {
  const now = Date.parse(time);

  expect(findValues([`On ${date}, sum up.`], { places: [], now, since: now, zones: [zone] })).toEqual([
    { text: date, origin: expect.stringMatching(/^now: /) as string },
  ]);
});

test("a date in Arabic digits has the same origin on each day", () => {
  const originsOn = (day: string): readonly string[] => {
    const now = Date.parse(`${day}T10:00:00Z`);
    const date = new Intl.DateTimeFormat("ar-EG", { dateStyle: "full", timeZone: "UTC" }).format(now);
    return findValues([`On ${date}, sum up.`], { places: [], now, since: now, zones: [0] }).map(
      ({ origin }) => origin,
    );
  };

  expect(originsOn("2027-02-03")).toHaveLength(1);
  expect(originsOn("2027-02-03")).toEqual(originsOn("2026-11-27"));
});
