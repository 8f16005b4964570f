import { existsSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import type { CallEvent } from "../../src/core/call/call.ts";
import { createRun } from "../../src/core/answer/runs.ts";
import { openDeck } from "../../src/deck/deck.ts";
import { anUpstream } from "../cli/an-upstream.ts";
import { aProject, tapedeck } from "../cli/tapedeck.ts";
import { aTemporaryProject } from "../runners/support/scene.ts";
import { METAGPT_PROJECT } from "../fixtures/metagpt/project.ts";
import { hooksFor } from "../fixtures/runners/hooked.ts";
import { run } from "../fixtures/runners/project.ts";
import { hasPython, NEEDS_PYTHON } from "../support/python.ts";

it.skipIf(!hasPython)(
  `a key that is missing in MetaGPT's own cache is a miss of its test, with the nearest key ${NEEDS_PYTHON} [MG-I9]`,
  async () => {
    const cwd = aProject(METAGPT_PROJECT);
    const test = "python3 -m unittest -q tests.test_plain || true";

    const { code, stderr, stdout } = await tapedeck(["run", "--json", "--", "sh", "-c", test], { cwd });
    const report = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Readonly<Record<string, unknown>>;

    expect(code).toBe(3);
    expect(report).toMatchObject({
      counts: { replayed: 1, miss: 1 },
      leftMachine: 0,
      findings: [
        {
          kind: "missing",
          test: { file: "tests/test_plain.py", name: ["Writer", "test_review"], line: 23 },
          label: "Review the snake game.",
          nearest: expect.stringMatching(/^tests\/data\/rsp_cache\.json#[0-9a-f]{64}$/),
          differences: [{ text: 'messages[0] (system): "kind" → "strict"' }],
        },
      ],
    });
    expect(stderr).toContain("1 replayed · 1 missing · 0 sent");
    expect(stderr).toContain("1 replayed call was answered from tests/data/rsp_cache.json.");
    expect(stderr).toContain(
      'No entry in tests/data/rsp_cache.json for this MetaGPT call ("Review the snake game.")',
    );
  },
);

it.skipIf(!hasPython).each([
  ["that Tapedeck set follows the current mode", { TAPEDECK_METAGPT: "0" }, ["POST /v1/chat/completions"]],
  ["that the user set is kept", {}, []],
] as const)(`MetaGPT's switch in an open terminal %s ${NEEDS_PYTHON}`, async (_, mark, requests) => {
  const cwd = aProject(METAGPT_PROJECT);
  const upstream = await anUpstream();
  const env = { OPENAI_API_KEY: "sk-of-a-person", ALLOW_OPENAI_API_CALL: "0", ...mark };
  const command = ["python3", "-m", "unittest", "-q", "tests.test_plain"];
  const options = ["--mode", "record", ...upstream.options];

  const { code, stderr } = await tapedeck(["run", ...options, "--", ...command], { cwd, env });
  const listed = await tapedeck(["list", "--json"], { cwd });

  expect(upstream.requests).toEqual(requests);
  expect(code).toBe(requests.length === 0 ? 1 : 0);
  expect(stderr).toContain(requests.length === 0 ? "1 replayed · 1 missing · 0 sent" : "0 missing · 1 sent");
  // MetaGPT keeps the answer, if the test passes under pytest: there is one store.
  expect(JSON.parse(listed.stdout)).toEqual([]);
});

it.skipIf(!hasPython)(
  `an open terminal follows the mode of its server, and the answer has one store ${NEEDS_PYTHON} [MG-I9]`,
  async () => {
    const project = aTemporaryProject(METAGPT_PROJECT);
    const upstream = await anUpstream();
    const deck = openDeck({ dir: project.path(".tapedeck"), upstreams: { openai: upstream.origin } });
    onTestFinished(() => deck.close());
    const events: CallEvent[] = [];
    deck.engine.onCall((event) => events.push(event));
    // As a window of VS Code: one run, whose mode the status bar changes.
    const workspace = createRun({ id: "workspace", mode: "strict" });
    const { url } = (await deck.listen({ roots: [project.dir] })).admit(workspace);
    const terminal = {
      ...hooksFor(project, url),
      OPENAI_BASE_URL: `${url}/openai/v1`,
      OPENAI_API_KEY: "sk-of-a-person",
      ALLOW_OPENAI_API_CALL: "0",
      TAPEDECK_METAGPT: "0",
    };
    const args = ["-m", "unittest", "-q", "tests.test_plain"];
    const runTests = () => run({ command: "python3", args, cwd: project.dir }, terminal);

    await runTests();
    workspace.mode = "record";
    await runTests();
    workspace.mode = "strict";
    await runTests();

    expect(upstream.requests).toEqual(["POST /v1/chat/completions"]);
    expect(events.map(({ outcome, mode }) => `${mode} ${outcome}`).join(", ")).toBe(
      "strict replayed, strict miss, record replayed, record forwarded, record forwarded, strict replayed, strict miss",
    );
    expect(existsSync(project.path(".tapedeck/calls"))).toBe(false);
  },
);
