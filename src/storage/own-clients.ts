import { readdirSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { readBytes } from "./folder/read-file.ts";

interface Place {
  /** The project's folder, absolute. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Whether a call may leave the machine: then credentials count that have to be asked for elsewhere. */
  readonly maySend: boolean;
}

/** Settings of a project's clients other than environment variables. */
export interface OwnClients {
  /** Variables whose credentials are in a file: a placeholder would override the file. */
  readonly credentials: ReadonlySet<string>;
  /**
   * API key variables that make a Node client throw because its code sets other credentials. They get no placeholder.
   */
  readonly inTheWay: readonly string[];
}

export async function lookAtClients({ folder, ...place }: Place): Promise<OwnClients> {
  const hasFile = await hasAwsFile(place);
  const makesTokens = await isSaidIn(folder, TOKENS.text);
  return {
    credentials: new Set(hasFile ? ["AWS_PROFILE"] : []),
    inTheWay: makesTokens ? TOKENS.variables : [],
  };
}

/**
 * Code that creates tokens. openai-node and @anthropic-ai/foundry-sdk throw if they get both a token provider and a
 * key.
 */
const TOKENS = {
  text: "azureADTokenProvider",
  variables: ["AZURE_OPENAI_API_KEY", "ANTHROPIC_FOUNDRY_API_KEY"],
};

const STATIC = /^\s*aws_access_key_id\s*=\s*\S/mu;
const ASKED_FOR = /^\s*(?:sso_|role_arn|credential_process|login_session)/mu;

async function hasAwsFile({ env, home, maySend }: Omit<Place, "folder">): Promise<boolean> {
  const files = [
    env["AWS_SHARED_CREDENTIALS_FILE"] || join(home, ".aws", "credentials"),
    env["AWS_CONFIG_FILE"] || join(home, ".aws", "config"),
  ];
  const texts = await Promise.all(files.map(bytesOf));
  return texts.map(String).some((text) => STATIC.test(text) || (maySend && ASKED_FOR.test(text)));
}

/** Looks for a text in a project's sources, folder by folder, as far as a run may wait for it. */
async function isSaidIn(project: string, text: string): Promise<boolean> {
  const folders = [project];
  let files = 0;
  for (let at = 0; at < folders.length && at < MOST_FOLDERS; at += 1) {
    const folder = folders[at] ?? "";
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !LEFT_OUT.test(entry.name)) folders.push(path);
      if (!entry.isFile() || !SOURCE.test(entry.name)) continue;
      if ((files += 1) > MOST_FILES) return false;
      if ((await bytesOf(path)).includes(text)) return true;
    }
  }
  return false;
}

const MOST_FOLDERS = 2_000;
const MOST_FILES = 3_000;
const LONGEST = 262_144;
const SOURCE = /\.[cm]?[jt]sx?$/u;
const LEFT_OUT = /^(?:\..*|node_modules|dist|build|out|coverage|vendor|venv|__pycache__)$/u;

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // gone, or not ours to read
  }
}

function bytesOf(path: string): Promise<Buffer> {
  return readBytes(path, { most: LONGEST, links: "followed" }).catch(() => Buffer.alloc(0));
}
