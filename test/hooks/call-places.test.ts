import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { rootDir } from "../../scripts/host/paths.mjs";
import { aHookedProject, hooksFor } from "../fixtures/runners/hooked.ts";
import { run } from "../fixtures/runners/project.ts";

// Each test starts several programs, on machines that may be busy.

const ANTHROPIC = pathToFileURL(join(rootDir, "node_modules/@anthropic-ai/sdk/index.mjs")).href;

async function linesOf(
  text: string,
  files: Readonly<Record<string, string>> = {},
): Promise<readonly (number | undefined)[]> {
  const { project, server } = await aHookedProject({ "a.test.mjs": text, ...files });
  const command = { command: process.execPath, args: ["a.test.mjs"], cwd: project.dir };
  await run(command, hooksFor(project, server.url));
  return server.calls.map((call) => call.test?.line);
}

test("Anthropic's calls are identified by their lines, also those of a helper and of a stream", async () => {
  const lines = await linesOf(`import { it } from "node:test";
import Anthropic from "${ANTHROPIC}";
const anthropic = new Anthropic({ apiKey: "none", maxRetries: 0, baseURL: process.env.TAPEDECK_URL });
const asked = { model: "m", max_tokens: 1, messages: [{ role: "user", content: "hi" }] };
const ask = () => anthropic.messages.create(asked).catch(() => {});
it("asks", async () => {
  await anthropic.messages.create(asked).catch(() => {});
  await ask();
  await anthropic.messages.stream(asked).finalMessage().catch(() => {});
});
`);

  expect(lines).toEqual([7, 8, 9]);
});

test("a place belongs to one test: a client without a place in the next test has no line of this one", async () => {
  const client = `export const ask = () =>
  new Promise((resolve) => setTimeout(() => fetch(process.env.TAPEDECK_URL).then(resolve), 1));`;
  const lines = await linesOf(
    `import { it } from "node:test";
import { ask } from "./node_modules/client/index.mjs";
it("leaves its place", async () => {
  new Headers();
  await ask();
});
it("leaves none", async () => {
  await ask();
});
`,
    { "node_modules/client/index.mjs": client },
  );

  expect(lines).toEqual([4, undefined]);
});

test("Headers look like the runtime's own", async () => {
  const { project, server } = await aHookedProject({
    "a.mjs": `class CustomHeaders extends Headers {}
const own = new CustomHeaders({ a: "1" });
console.log(Headers.name, new Headers() instanceof Headers, own instanceof CustomHeaders, own.get("a"));
console.log(new Response("", { headers: own }).headers instanceof Headers, Object.keys(globalThis).includes("Headers"));
globalThis.Headers = 1;
console.log(Headers);`,
  });
  const command = { command: process.execPath, args: ["a.mjs"], cwd: project.dir };

  const { output } = await run(command, hooksFor(project, server.url));

  expect(output).toBe("Headers true true 1\ntrue false\n1\n");
});
