import { hooksFor } from "../../fixtures/runners/hooked.ts";
import { run } from "../../fixtures/runners/project.ts";
import { aStandIn } from "../../fixtures/runners/stand-in.ts";
import { aTemporaryProject } from "./scene.ts";

/** Returns the maker of each call of a command, in a project of these files, as the hooks report it. */
export async function toldOf(
  files: Readonly<Record<string, string>>,
  command: string,
  args: readonly string[],
) {
  const project = aTemporaryProject(files);
  const server = await aStandIn(() => [project.dir]);
  try {
    const { output, code } = await run({ command, args, cwd: project.dir }, hooksFor(project, server.url));
    if (code !== 0) throw new Error(output);
    return server.calls.map((call) => call.test);
  } finally {
    await server.close();
  }
}
