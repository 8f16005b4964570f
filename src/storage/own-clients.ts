import { join } from "node:path";
import { readBeginningNow, readBytes } from "./folder/read-file.ts";
import { readFoldersBelow } from "./folders-below.ts";

interface Place {
  /** The project's folder, absolute. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Whether a call may leave the machine. Only then do credentials count that a client must fetch first. */
  readonly maySend: boolean;
}

/** Settings of a project's clients other than environment variables. */
export interface OwnClients {
  /** Variables that get no placeholder, because it would override the credentials in a file. */
  readonly credentials: ReadonlySet<string>;
  /**
   * API key variables that make a Node client throw because its code sets other credentials. They get no placeholder.
   */
  readonly conflictingKeys: readonly string[];
}

export async function lookAtClients({ folder, ...place }: Place): Promise<OwnClients> {
  const hasFile = await hasAwsCredentials(place);
  const hasTokenProvider = containsText(folder, TOKEN_PROVIDER.text);
  return {
    credentials: new Set(hasFile ? ["AWS_PROFILE"] : []),
    conflictingKeys: hasTokenProvider ? TOKEN_PROVIDER.variables : [],
  };
}

/**
 * Code that creates tokens. openai-node and @anthropic-ai/foundry-sdk throw if they get both a token provider and a
 * key.
 */
const TOKEN_PROVIDER = {
  text: "azureADTokenProvider",
  variables: ["AZURE_OPENAI_API_KEY", "ANTHROPIC_FOUNDRY_API_KEY"],
};

const STORED_KEY = /^\s*aws_access_key_id\s*=\s*\S/mu;
const FETCHED_KEY = /^\s*(?:sso_|role_arn|credential_process|login_session)/mu;

async function hasAwsCredentials({ env, home, maySend }: Omit<Place, "folder">): Promise<boolean> {
  const files = [
    env["AWS_SHARED_CREDENTIALS_FILE"] || join(home, ".aws", "credentials"),
    env["AWS_CONFIG_FILE"] || join(home, ".aws", "config"),
  ];
  const texts = await Promise.all(
    files.map((path) => readBytes(path, { most: MAX_BYTES, links: "followed" }).catch(() => "")),
  );
  return texts.map(String).some((text) => STORED_KEY.test(text) || (maySend && FETCHED_KEY.test(text)));
}

/** Returns whether a project's sources contain a text. Reads the beginnings of the first 3,000 files, folder by folder. */
function containsText(project: string, text: string): boolean {
  let files = 0;
  for (const { folder, entries } of readFoldersBelow(project))
    for (const entry of entries) {
      if (!entry.isFile() || !SOURCE_FILE.test(entry.name)) continue;
      if ((files += 1) > MAX_FILES) return false;
      if (readBeginning(join(folder, entry.name)).includes(text)) return true;
    }
  return false;
}

const MAX_FILES = 3_000;
const MAX_BYTES = 262_144;
const SOURCE_FILE = /\.[cm]?[jt]sx?$/u;

/** Returns the beginning of a file; empty if it cannot be read. */
function readBeginning(path: string): string {
  try {
    return readBeginningNow(path, MAX_BYTES) ?? "";
  } catch {
    return "";
  }
}
