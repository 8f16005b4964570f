import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { aProject, tapedeck } from "./tapedeck.ts";

const ASK = `
import { test } from "node:test";
const ask = (content) =>
  fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content }] }),
  }).then((reply) => reply.text());
test("asks twice", async () => {
  await ask("hi");
  await ask("ho <b>");
});
`;
const RUN = ["--", process.execPath, "--test", "ask.test.mjs"];

function aTestProject(config: object): string {
  return aProject({ "ask.test.mjs": ASK, "tapedeck.jsonc": JSON.stringify(config) });
}

test("a run reports the mocked answers of each test and their mock: in words, as JSON, in JUnit, and line by line", async () => {
  const cwd = aTestProject({ lenient: { script: ["one", { reply: "two", times: "always" }] } });
  const reports = ["--log", "json", "--report", "json=report.json", "--report", "junit=junit.xml"];

  const { code, stdout, stderr } = await tapedeck(["run", "--mode", "lenient", ...reports, ...RUN], { cwd });

  const report = JSON.parse(readFileSync(join(cwd, "report.json"), "utf8")) as Record<string, unknown>;
  const junit = readFileSync(join(cwd, "junit.xml"), "utf8");
  expect(code).toBe(0);
  expect(stderr).toContain("0 replayed · 2 mocked · 0 missing · 0 sent");
  expect(stderr).toMatch(
    /^~ ask\.test\.mjs:\d+ {2}asks twice\n {4}answered by reply 1 of the script: gpt-4o-mini "hi"$/mu,
  );
  expect(stderr).not.toContain("! No recording matches");
  expect(report).toMatchObject({
    counts: { defaulted: 2 },
    findings: [
      {
        kind: "made-up",
        test: { file: "ask.test.mjs", name: ["asks twice"] },
        label: "hi",
        brief: "reply 1 of the script",
        count: 1,
      },
      { kind: "made-up", label: "ho <b>", brief: "reply 2 of the script" },
    ],
  });
  expect(junit).toContain('<property name="made-up" value="2"/>');
  expect(junit).toMatch(
    /<system-out>answered by reply 1 of the script: gpt-4o-mini &#34;hi&#34;\nanswered by reply 2 of the script: gpt-4o-mini &#34;ho &#60;b&#62;&#34;<\/system-out>/u,
  );
  expect(stdout).toContain('"madeUp":"reply 1 of the script"');
});

test("a fault on purpose is counted apart from what is made up", async () => {
  const cwd = aTestProject({ lenient: { mock: "echo" } });
  const asked = ["run", "--mode", "lenient", "--chaos", "429,cut:1", "--report", "json=report.json", ...RUN];

  const { stderr } = await tapedeck(asked, { cwd });

  const report = JSON.parse(readFileSync(join(cwd, "report.json"), "utf8")) as Record<string, unknown>;
  expect(stderr).toContain("1 mocked · 2 with an injected fault");
  expect(report["findings"]).toContainEqual(
    expect.objectContaining({ kind: "faulty", label: "hi", brief: "429" }),
  );
});

test("MetaGPT's tests may reach providers as the mode allows, if the project has their cache and no setting overrides it", async () => {
  const PRINT = ["--", "sh", "-c", "echo ${ALLOW_OPENAI_API_CALL-undefined}"];
  const cached = aProject({ "tests/data/rsp_cache.json": "{}" });
  const seen = async (args: readonly string[], cwd: string, env = {}): Promise<string> =>
    (await tapedeck(["run", ...args, ...PRINT], { cwd, env })).stdout.trim();

  expect(await seen([], cached)).toBe("0");
  expect(await seen(["--mode", "record"], cached)).toBe("1");
  expect(await seen([], cached, { ALLOW_OPENAI_API_CALL: "1" })).toBe("1");
  expect(await seen([], aProject())).toBe("undefined");
});
