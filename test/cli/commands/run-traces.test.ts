import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { spansIn } from "../../support/otlp.ts";
import { anUpstream } from "../an-upstream.ts";
import { aRecordedProject, filesBelow } from "../recordings.ts";
import { aProject, tapedeck } from "../tapedeck.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";

/** A test that traces itself: each run of it is another trace. */
const TESTS = `import { it } from "node:test";
import { readFileSync, writeFileSync, existsSync } from "node:fs";
it("asks", async () => {
  const span = existsSync("span") ? "2222222222222222" : "1111111111111111";
  writeFileSync("span", span);
  const reply = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json", traceparent: "00-${TRACE_ID}-" + span + "-01" },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "Say hi" }] }),
  });
  if (!reply.ok) throw new Error(await reply.text());
});
`;
const FILE = "ask.test.mjs";
const RUN = ["--", process.execPath, "--test", FILE];

async function traced(args: readonly string[], cwd: string, env?: Readonly<Record<string, string>>) {
  const { code } = await tapedeck(["run", "--report", "otlp=traces/run.json", ...args, ...RUN], {
    cwd,
    ...(env && { env }),
  });
  const text = readFileSync(join(cwd, "traces/run.json"), "utf8");
  return { code, text, spans: spansIn(text) };
}

describe("--report otlp", () => {
  it("tells a run as traces, in the trace of the test's process; what it sent of that is in no key and no file", async () => {
    const upstream = await anUpstream();
    const cwd = aProject({ [FILE]: TESTS });

    const recorded = await traced(["--mode", "record", ...upstream.options], cwd);
    const replayed = await traced([], cwd);

    expect([recorded.code, replayed.code]).toEqual([0, 0]);
    const [test, call] = replayed.spans;
    expect(test).toMatchObject({ name: "asks", attributes: { "test.suite.name": FILE } });
    expect(call).toMatchObject({
      traceId: TRACE_ID,
      parentSpanId: "2222222222222222",
      name: "chat gpt-4o-mini",
      links: [{ traceId: test?.traceId, spanId: test?.spanId }],
      attributes: {
        "gen_ai.provider.name": "openai",
        "gen_ai.usage.input_tokens": 9,
        "gen_ai.usage.output_tokens": 3,
        "gen_ai.response.finish_reasons": ["stop"],
        "tapedeck.outcome": "replayed",
      },
    });
    expect(recorded.spans[1]?.attributes["tapedeck.outcome"]).toBe("recorded");
    for (const path of filesBelow(join(cwd, ".tapedeck")))
      expect(readFileSync(join(cwd, ".tapedeck", path), "utf8")).not.toMatch(
        new RegExp(`${TRACE_ID}|traceparent`, "u"),
      );
  });

  it("has prompts only with --content, or where the conventions' own variable asks for them", async () => {
    const upstream = await anUpstream();
    const cwd = aProject({ [FILE]: TESTS });
    await traced(["--mode", "record", ...upstream.options], cwd);
    const variable = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";

    const without = await traced([], cwd);
    const asked = await traced(["--content"], cwd);
    const told = await traced([], cwd, { [variable]: "SPAN_ONLY" });

    expect(without.text).not.toContain("Say hi");
    expect(asked.text).toContain("Say hi");
    expect(told.text).toContain("Say hi");
  });

  it("says which call failed by a miss", async () => {
    const { code, spans } = await traced([], aProject({ [FILE]: TESTS }));

    expect(code).not.toBe(0);
    expect(spans[1]).toMatchObject({ status: { code: 2 }, attributes: { "error.type": "tapedeck_miss" } });
  });

  it("is all of standard output where no file is named", async () => {
    const { stdout } = await tapedeck(
      ["run", "--report", "otlp", "--", process.execPath, "-e", "console.log(1)"],
      {
        cwd: aProject(),
      },
    );

    expect(spansIn(stdout)).toEqual([]);
  });
});

describe("export --to otlp", () => {
  it("tells recordings as traces by the test that made them", async () => {
    const test = { file: "tests/chat.test.ts", name: ["chat", "answers"] };
    const { cwd } = await aRecordedProject([
      { text: "Say hi", test },
      { text: "Say bye", provider: "anthropic", stream: true, test },
      { text: "Say more" },
    ]);

    const { code, stdout, stderr } = await tapedeck(["export", "--to", "otlp"], { cwd });

    const spans = spansIn(stdout);
    expect(code).toBe(0);
    expect(stderr).toBe("3 calls of .tapedeck exported\n");
    expect(spans.map(({ name }) => name)).toEqual([
      "chat › answers",
      "chat gpt-4o-mini",
      "chat claude-sonnet-4",
      "calls outside any known test",
      "chat gpt-4o-mini",
    ]);
    expect(spans[2]?.attributes).toMatchObject({ "gen_ai.request.stream": true });
    expect(stdout).not.toContain("Say hi");
    expect((await tapedeck(["export", "--to", "otlp", "--content"], { cwd })).stdout).toContain("Say hi");
  });
});
