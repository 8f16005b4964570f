import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { anUpstream } from "../an-upstream.ts";
import { aProject, tapedeck } from "../tapedeck.ts";

const ASK = `
const { OPENAI_BASE_URL, OPENAI_API_KEY } = process.env;
for (const content of process.argv.slice(2)) {
  const reply = await fetch(OPENAI_BASE_URL + "/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer " + OPENAI_API_KEY },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content }] }),
  });
  await reply.text();
}
`;
const node = (...words: readonly string[]) => ["--", process.execPath, "ask.mjs", ...words];
const LINE = {
  provider: "openai",
  method: "POST",
  path: "/v1/chat/completions",
  headers: [["content-type", "application/json"]],
  label: "hi",
  text: '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"hi"}]}',
};

describe("the missing calls of a contributor without a key", () => {
  it("are listed, recorded by who has one without running a line of the contributor's, and replayed", async () => {
    const upstream = await anUpstream();
    const theirs = aProject({ "ask.mjs": ASK });
    const ours = aProject();

    const missed = await tapedeck(["run", "--missing", "missing.jsonl", ...node("hi", "you", "hi")], {
      cwd: theirs,
    });
    writeFileSync(join(ours, "missing.jsonl"), readFileSync(join(theirs, "missing.jsonl")));
    const recorded = await tapedeck(["record", "missing.jsonl", ...upstream.options], {
      cwd: ours,
      env: { OPENAI_API_KEY: "sk-ours" },
    });
    const replayed = await tapedeck(["run", "--dir", join(ours, ".tapedeck"), ...node("hi", "you", "hi")], {
      cwd: theirs,
    });

    expect(missed.code).toBe(3);
    expect(recorded.code).toBe(0);
    expect(recorded.stderr).toContain("2 calls of 2 recorded.");
    expect(upstream.headers.map(({ authorization }) => authorization)).toEqual([
      "Bearer sk-ours",
      "Bearer sk-ours",
    ]);
    expect(replayed.code).toBe(0);
  });

  it("bring no credential along that stands in a query", async () => {
    const theirs = aProject({
      "ask.mjs": `await fetch(process.env.OPENAI_BASE_URL + "/pages?sig=0123456789&token=tok-0123456789abcdefgh&key=one")`,
    });

    await tapedeck(["run", "--missing", "missing.jsonl", ...node()], { cwd: theirs });

    const listed = readFileSync(join(theirs, "missing.jsonl"), "utf8");
    expect(listed).toContain("/v1/pages?sig=%5Bredacted%3A%20credential%5D&token=%5Bredacted");
    expect(listed).toContain("&key=one");
    expect(listed).not.toContain("0123456789");
  });

  it("are not recorded where the provider refuses one, and the others are", async () => {
    const upstream = await anUpstream();
    const wrong = { ...LINE, path: "/v1/nowhere/chat/completions?x=1", label: "lost" };
    const cwd = aProject({
      list: `${JSON.stringify(LINE)}\n${JSON.stringify({ ...wrong, path: "/v1/embeddings" })}\n`,
    });

    const { code, stderr } = await tapedeck(["record", "list", ...upstream.options], { cwd });

    expect(code).toBe(1);
    expect(stderr).toContain("1 call of 2 recorded.");
    expect(stderr).toMatch(/error: .*"lost"/);
  });
});

describe("a list that is not what it should be", () => {
  it.each([
    ["a line that is no JSON", "nothing", 2, /list:2 is no missing call/],
    ["an address in place of a path", { ...LINE, path: "//evil.example/v1" }, 2, /path does not begin/],
    ["a key of its own", { ...LINE, headers: [["authorization", "Bearer x"]] }, 2, /headers are none/],
    ["a call that deletes", { ...LINE, method: "DELETE", path: "/v1/files/f1" }, 1, /is not made for others/],
    ["a call that lists files", { ...LINE, method: "GET", path: "/v1/files" }, 1, /is not made for others/],
    ["a call of another kind", { ...LINE, path: "/v1/vector_stores" }, 1, /is not made for others/],
    ["an unknown provider", { ...LINE, provider: "evil" }, 1, /is not made for others/],
  ])("%s is refused before any call is made", async (_, line, code, why) => {
    const upstream = await anUpstream();
    const text = typeof line === "string" ? line : JSON.stringify(line);
    const cwd = aProject({ list: `${JSON.stringify(LINE)}\n${text}\n` });

    const refused = await tapedeck(["record", "list", ...upstream.options], { cwd });

    expect(refused.code).toBe(code);
    expect(refused.stderr).toMatch(why);
    expect(upstream.requests).toEqual([]);
  });
});
