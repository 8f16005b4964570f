import { localize } from "../core/base/localize.ts";
import { createHash } from "node:crypto";
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { readFields, isTexts, tryParsePlainJson } from "../core/base/lenient.ts";
import { createWrongUsage } from "../core/base/errors.ts";
import { mayTitleHoldSecret } from "../core/secrets/scanner.ts";
import { createOwnScanner } from "../storage/local/own-scanner.ts";
import { findUserFolder } from "../hooks/user-folder.ts";
import { readText } from "../storage/folder/read-file.ts";
import { replaceWhole } from "../storage/folder/durable-write.ts";
import type { Terminal } from "./terminal.ts";

/** The last `run` command of a folder, which `--last` repeats. */
export interface LastCommand {
  readonly command: readonly string[];
  /** Tapedeck's options for where calls are recorded and sent, as written. */
  readonly options: readonly string[];
}

/**
 * Saves a folder's last command in the user's state folder, readable only by that user. If it is not saved, returns a
 * sentence with the reason: a command that may contain a credential is never written.
 */
export async function rememberCommand(last: LastCommand, terminal: Terminal): Promise<string | undefined> {
  if (await mayHoldCredential([...last.options, ...last.command]))
    return localize(
      "This command is not saved for --last, because it seems to contain a credential. Use an environment variable instead.",
    );
  try {
    const { folder, file, cwd } = lastCommandPlace(terminal);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    await replaceWhole(file, `${JSON.stringify({ version: VERSION, folder: cwd, ...last })}\n`, {
      access: 0o600,
      isSynced: false,
    });
    return undefined;
  } catch {
    return localize(
      "This command is not saved for --last, because its file in your home folder cannot be written.",
    );
  }
}

/** @throws TapedeckError `tapedeck_usage` if no command is saved for this folder. */
export async function recallCommand(terminal: Terminal): Promise<LastCommand> {
  const { file, cwd } = lastCommandPlace(terminal);
  const found = lastFrom(await readText(file).catch(() => ""), cwd);
  if (found !== undefined) return found;
  throw createWrongUsage(
    localize("No command is saved for {0}.", cwd),
    localize("Run it once with tapedeck run [options] -- COMMAND. Each folder has its own last command."),
  );
}

const VERSION = 1;

function lastCommandPlace({ cwd, env }: Terminal) {
  // The native call returns one spelling where case does not matter: Windows shells differ even in the drive letter.
  const real = realpathSync.native(cwd);
  const folder = join(findUserFolder("state", env), "tapedeck", "last-commands");
  const name = createHash("sha256").update(real).digest("hex").slice(0, 32);
  return { cwd: real, folder, file: join(folder, `${name}.json`) };
}

function lastFrom(text: string, cwd: string): LastCommand | undefined {
  const { version, folder, command, options } = readFields(tryParsePlainJson(text));
  if (version !== VERSION || folder !== cwd || !isTexts(command) || !isTexts(options)) return undefined;
  return command.length === 0 ? undefined : { command, options };
}

const NAMES = "(?:key|token|secret|passw(?:or)?d|passphrase|credentials?|auth|authorization|cookie)";
/** By the names, whatever the values are: `OPENAI_API_KEY=…`, `authorization: …`, `--api-key …`, `-u me:…`, `//me:…@host`. */
const NAMED = [
  new RegExp(`${NAMES}["']?\\s*[=:](?!:)\\s*["']?[^\\s"':]`, "i"),
  new RegExp(`(?:^|\\s)--?[\\w.-]*${NAMES}\\s+["']?[^\\s"'-]`, "i"),
  /\bbearer\s+\S/i,
  /(?:^|\s)-u\s+\S+:\S/,
  /:\/\/[^\s/:@]*:[^\s/@]+@/,
];

/** Returns whether a command line may contain a credential and so must not be written to disk. */
export async function mayHoldCredential(words: readonly string[]): Promise<boolean> {
  const line = words.join(" ");
  if (NAMED.some((named) => named.test(line))) return true;
  // Most commands hold nothing that looks like a secret, and the table of kinds is large.
  if (!mayTitleHoldSecret({ name: words })) return false;
  const scan = await createOwnScanner();
  return scan(line).length > 0;
}
