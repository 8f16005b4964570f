import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** The package as npm would publish it, unpacked in a temporary folder. `remove` deletes the folder. */
export function aPackedPackage(): { readonly dir: string; remove(): void } {
  if (!existsSync(join(root, "dist", "index.js"))) runNode([join(root, "scripts", "build.mjs")]);
  const home = mkdtempSync(join(tmpdir(), "tapedeck-packed-"));
  const dir = join(home, "llm-tapedeck");
  for (const file of (files ??= packedFiles())) {
    mkdirSync(dirname(join(dir, file)), { recursive: true });
    cpSync(join(root, file), join(dir, file));
  }
  return { dir, remove: () => rmSync(home, { recursive: true, force: true }) };
}

/** Of this process, whose tests share it: npm takes seconds to say it. */
let files: readonly string[] | undefined;

/** What `npm pack` would put into the archive. */
function packedFiles(): readonly string[] {
  const npm = process.env["npm_execpath"];
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const { stdout } =
    npm === undefined
      ? spawnSync("npm", args, { cwd: root, encoding: "utf8", shell: process.platform === "win32" })
      : spawnSync(process.execPath, [npm, ...args], { cwd: root, encoding: "utf8", maxBuffer: 1e8 });
  const [packed] = JSON.parse(stdout) as readonly { readonly files: readonly { readonly path: string }[] }[];
  return (packed?.files ?? []).map(({ path }) => path);
}

function runNode(args: readonly string[]): void {
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

/** The package's own entry points, as `import` names them. */
export function entryPoints(packed: string): readonly string[] {
  const { exports } = JSON.parse(readFileSync(join(packed, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, unknown>>;
  };
  return Object.keys(exports)
    .filter((name) => !name.endsWith(".json"))
    .map((name) => name.replace(/^\./, "llm-tapedeck"));
}
