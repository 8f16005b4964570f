import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { POINTER } from "../../agent/tool-names.ts";
import { localize, getProgramName } from "../../core/base/localize.ts";
import { expectNoLinkOut } from "../../storage/inside.ts";
import { readText } from "../../storage/folder/read-file.ts";
import { replaceWhole } from "../../storage/folder/durable-write.ts";
import type { Terminal } from "../terminal.ts";

/** Folders in which command-line agents look for skills. */
const PLACES = [".agents/skills", ".claude/skills"];
const SKILL = "tapedeck/SKILL.md";
const AGENTS = "AGENTS.md";

/**
 * Writes the skill where agents look, and a pointer to it into an existing AGENTS.md. A skill that was edited is kept,
 * unless `replaces` is set.
 */
export async function placeSkill(
  terminal: Terminal,
  { replaces }: { readonly replaces: boolean },
): Promise<void> {
  const program = getProgramName();
  // A project commits the skill, and another machine has another path.
  const shared = isAbsolute(program.replace(/^'/, "")) ? "tapedeck" : program;
  const skill = (await readText(findSkillFile())).replaceAll("npx tapedeck", shared);
  for (const place of PLACES) {
    const name = `${place}/${SKILL}`;
    const path = join(terminal.cwd, name);
    for (let part = path; part !== terminal.cwd; part = dirname(part))
      expectNoLinkOut(part, terminal.cwd, localize("Remove the link, and try again."));
    const before = existsSync(path) ? await readText(path) : undefined;
    if (before === skill) continue;
    if (before !== undefined && !replaces) {
      terminal.err(localize("{0} was edited, so it was kept. --force replaces it.\n", name));
      continue;
    }
    await mkdir(dirname(path), { recursive: true });
    await replaceWhole(path, skill);
    terminal.err(localize("Written: {0}\n", name));
  }
  await addPointer(terminal);
  terminal.err(localize("To give an agent the tools as well, add this server to its MCP configuration:\n"));
  // Without "--no", npx downloads another package of this name where Tapedeck is not installed.
  const words = program.replace(/^npx tapedeck$/, "npx --no tapedeck").split(" ");
  // On Windows npx is a batch file, which agents cannot start without the command interpreter.
  const needsShell = process.platform === "win32" && words[0] === "npx";
  const [command, ...args] = needsShell ? ["cmd", "/c", ...words] : words;
  const server = { tapedeck: { command, args: [...args, "mcp"] } };
  terminal.out(`${JSON.stringify({ mcpServers: server }, null, 2)}\n`);
}

async function addPointer(terminal: Terminal): Promise<void> {
  const path = join(terminal.cwd, AGENTS);
  if (!existsSync(path)) return;
  expectNoLinkOut(path, terminal.cwd, localize("Remove the link, and try again."));
  const text = await readText(path);
  if (text.includes(SKILL)) return;
  await replaceWhole(path, `${text.trimEnd()}\n\n${POINTER}`);
  terminal.err(localize("Written: {0}\n", AGENTS));
}

/** The skill as it ships with the package, or in a checkout. */
function findSkillFile(): string {
  const [packed, source] = ["../../skills/", "../../../skills/"].map((way) =>
    fileURLToPath(new URL(way + SKILL, import.meta.url)),
  );
  return packed !== undefined && existsSync(packed) ? packed : (source ?? "");
}
