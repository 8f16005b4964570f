import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { rootDir } from "../../scripts/host/paths.mjs";
import { hasPython, NEEDS_PYTHON } from "../support/python.ts";
import { program } from "./built-program.ts";
import { aProject } from "./tapedeck.ts";

const ASK = `import json, os, urllib.request
print("A suite with much output. " * 100_000)
headers = {"content-type": "application/json", "authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
for content in ["one", "two", "one"]:
    body = json.dumps({"model": "gpt-4o-mini", "messages": [{"role": "user", "content": content}]}).encode()
    urllib.request.urlopen(urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, headers)).read()
`;

it.skipIf(!hasPython)(
  `real projects: counts the outcomes of calls of installed ones, and names the missing ones ${NEEDS_PYTHON}`,
  async () => {
    const dir = aProject({
      "openai-agents-python/examples/basic/hello_world.py": ASK,
      "pydantic-ai/README.md": "Not installed",
    });
    const script = join(rootDir, "scripts/real-projects.mjs");

    const ended = promisify(execFile)(process.execPath, [script, dir, "--program", program]);
    await expect(ended, "a project makes no call").rejects.toMatchObject({ code: 1 });
    const { stdout } = await ended.catch((error: { stdout: string }) => error);

    const [, figures = "", ...more] = stdout.trimEnd().split("\n");
    expect(figures.trim().split(/\s{2,}/)).toEqual(["✔ openai-agents-python", "3", "3", "3", "0", "0, 0"]);
    expect(more[0]).toMatch(/^✘ pydantic-ai /);
    expect(more.at(-1)).toBe(
      "Not there: instructor, ai/examples/ai-functions, langchainjs/examples, openai-agents-js/examples/basic, notebook, llm-anthropic",
    );
    expect(more.join("\n")).toContain("No call was made by python3 -m pydantic_ai_examples.pydantic_model:");
    expect(more.join("\n")).toContain("No module named");
  },
  60_000,
);
