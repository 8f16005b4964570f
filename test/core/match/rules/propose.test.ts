import { describe, expect, it } from "vitest";
import { loadPatterns } from "../../../../src/core/match/rules/patterns.ts";
import { proposeRules, type ProposalParts } from "../../../../src/core/match/rules/propose.ts";
import { chat } from "../requests.ts";

const compile = await loadPatterns();
const SCOPE = { provider: ["openai"], operation: ["chat.completions"] };

/** The rules for each differing place as words, without the provider and operation that all have. */
const proposal = (recorded: unknown, requested: unknown, parts: Omit<ProposalParts, "compile"> = {}) =>
  proposeRules(chat(recorded), chat(requested), { compile, ...parts }).map(({ place, rules }) => {
    const words = rules.map(({ provider, operation, ...rule }) => {
      expect({ provider, operation }).toEqual(SCOPE);
      return Object.entries(rule).flat().join(" ");
    });
    return [`${place}:`, words.join(", ")].join(" ").trim();
  });

const UUIDS = ["0f8fad5b-d9cb-469f-a165-70867728950e", "7c9e6679-7425-40de-944b-e07fc1f90ae7"];
const said = (text: string) => ({ messages: [{ role: "user", content: text }] });
const agent = (hex: string) => ({ user_id: `user_${hex}_account__session_x` });

describe("the rules proposed for each differing place", () => {
  it.each<readonly [what: string, recorded: unknown, requested: unknown, ...places: string[]]>([
    ["a named pattern", { a: `x ${UUIDS[0]}` }, { a: `x ${UUIDS[1]}` }, "/a: replace $uuid at /a"],
    [
      "a pattern in any message",
      { messages: [{ content: "a" }, { content: "on 2026-01-02" }] },
      { messages: [{ content: "a" }, { content: "on 2026-02-03" }] },
      "/messages/*/content: replace $isoDate at /messages/*/content",
    ],
    [
      "several patterns of one text, all of them necessary",
      { a: `on 2026-01-02 in /tmp/a1` },
      { a: `on 2026-02-03 in /tmp/b2` },
      "/a: replace $isoDate at /a, replace $tempFolder at /a",
    ],
    [
      "a pattern of folders below a temporary folder whose origin is in the key, on any system",
      { a: "in <temp>/app-a1b2/x", b: "in <temp>\\app-a1b2\\x", c: "in <temp folder 1>/a" },
      { a: "in <temp>/app-c3d4/x", b: "in <temp>\\app-c3d4\\x", c: "in <temp folder 1>/b" },
      "/a: replace $tempFolder at /a",
      "/b: replace $tempFolder at /b",
      "/c:",
    ],
    [
      "a pattern, a setting, and ids",
      { at: "2026-01-02", seed: 1, list: [{ id: "a" }, { id: "b" }] },
      { at: "2026-02-03", seed: 2, list: [{ id: "c" }, { id: "d" }] },
      "/at: replace $isoDate at /at",
      "/seed: ignore /seed",
      "/list/*/id: ignore /list/*/id",
      "/list/*/id: ignore /list/*/id",
    ],
    ["a member that only one of them has", { b: 1 }, { b: 1, "se~ed/": 7 }, "/se~0ed~1: ignore /se~0ed~1"],
    [
      "what a coding agent sends as its user",
      { metadata: agent("0a".repeat(32)) },
      { metadata: agent("b1".repeat(32)) },
      "/metadata/user_id: replace $hexId at /metadata/user_id",
    ],
    [
      "an id behind a word",
      { metadata: { user_id: `user_${"0a".repeat(16)}`, session: `x_session_${UUIDS[0]}_y` } },
      { metadata: { user_id: `user_${"b1".repeat(16)}`, session: `x_session_${UUIDS[1]}_y` } },
      "/metadata/user_id: replace $hexId at /metadata/user_id",
      "/metadata/session: replace $uuid at /metadata/session",
    ],
    [
      "a leaf below an object, beside a text for which nothing is proposed",
      { metadata: { user_id: "ann" }, ...said("Say hi") },
      { metadata: { user_id: "bob" }, ...said("Say ho") },
      "/metadata/user_id: ignore /metadata/user_id",
      "/messages/*/content:",
    ],
  ])("are %s", (_, recorded, requested, ...places) => {
    expect(proposal(recorded, requested)).toEqual(places);
  });

  it.each<readonly [unknown, unknown]>([
    [said("Hi"), said("Bye")],
    [{ prompt: "Hi" }, { prompt: "Bye" }],
    [{ input: ["Hi"] }, { input: ["Bye"] }],
    [{ description: "Say hi" }, { description: "Say bye" }],
    [{ model: "gpt-4o" }, { model: "gpt-5" }],
    [{ stream: true }, { stream: false }],
    [{}, { stream: true }],
    [{ tools: ["a"] }, { tools: ["a", "b"] }],
    [{ contents: [{ args: { city: "Oslo" } }] }, { contents: [{ args: { city: "Rome" } }] }],
    [{ tools: [{ strict: true }] }, { tools: [{ strict: false }] }],
    [[1], { a: 1 }],
  ])(
    "are none for messages to the model, its tools, and the format of its reply: %j / %j",
    (recorded, requested) => {
      expect(proposal(recorded, requested).filter((line) => !line.endsWith(":"))).toEqual([]);
    },
  );

  it("name what differs outside of the body", () => {
    const other = { path: "/v2/chat?a=1", method: "PUT" };

    expect(proposeRules(chat({}), chat({}, other), { compile }).map(({ place }) => place)).toEqual([
      "method",
      "path",
      "query",
    ]);
  });

  it("take a date out only if the recording has that of its day and the call has today's", () => {
    const moments = {
      recordedAt: Date.parse("2026-01-02T10:00:00Z"),
      at: Date.parse("2026-11-25T18:30:00Z"),
    };
    const rulesFor = (recorded: string, requested: string) =>
      proposal(said(recorded), said(requested), { moments }).filter((line) => !line.endsWith(":"));

    expect(rulesFor("Today is 2026-01-02.", "Today is 2026-11-25.")).toHaveLength(1);
    expect(rulesFor("Moon landing, 1969-07-20?", "Moon landing, 1989-11-09?")).toEqual([]);
    expect(rulesFor("Due 2026-01-02.", "Due 2026-12-24.")).toEqual([]);
    expect(rulesFor("2026-01-02: 1969-07-20?", "2026-11-25: 1989-11-09?")).toEqual([]);
  });

  it("take dates and times of the moment out, in any form that is matched by origin", () => {
    const at = Date.parse("2026-11-23T01:02:03Z");
    const recordedAt = Date.parse("2026-01-02T10:00:00Z");
    const isProposed = (recorded: string, requested: string): boolean =>
      proposal(said(`It is ${recorded}`), said(`It is ${requested}`), { moments: { recordedAt, at } }).every(
        (line) => !line.endsWith(":"),
      );

    expect(
      [
        ["2026-01-02", "2026-11-23"],
        ["2026-01-02T10:00:00Z", "2026-11-23T02:02:03+01:00"],
        ["Fri, 02 Jan 2026 10:00:00 GMT", "Mon, 23 Nov 2026 01:02:03 GMT"],
        ["2 January 2026", "23 novembre 2026"],
        ["20260102_100000", "20261123_010203"],
        ["1767348000000", "1795395723456"],
        ["10:00:00", "01:02:03"],
      ].filter(([recorded = "", requested = ""]) => !isProposed(recorded, requested)),
    ).toEqual([]);
    expect(isProposed("10:00:00", "18:30:00")).toBe(false);
    expect(isProposed("1767348000000", "1709201472000")).toBe(false);
  });

  it("cover what two runs of the same code have otherwise, whatever it is called", () => {
    const again = (text: string, name: string) => chat({ ...said(text), tools: [{ name }] });
    const [recorded, requested] = ["a", "b"].map((name) => ({
      ...said("Due 2026-01-02."),
      tools: [{ name }],
    }));
    const places = proposeRules(chat(recorded), chat(requested), {
      compile,
      again: again("Due 2026-01-02.", "c"),
    });

    expect(places).toMatchObject([
      { place: "/tools/*/name", varies: true, rules: [{ ignore: "/tools/*/name" }] },
    ]);
  });
});
