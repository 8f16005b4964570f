import { describe, expect, it } from "vitest";
import { spansIn } from "../../support/otlp.ts";
import { aRecordedProject } from "../recordings.ts";
import { tapedeck } from "../tapedeck.ts";

describe("export --to otlp", () => {
  it("exports recordings as traces, grouped by the test that made them", async () => {
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
    const asked = await tapedeck(["export", "--to", "otlp", "--content"], { cwd });
    const env = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "SPAN_ONLY" };
    const told = await tapedeck(["export", "--to", "otlp"], { cwd, env });
    for (const { stdout: text } of [asked, told]) expect(text).toContain("Say hi");
  });
});
