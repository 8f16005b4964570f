import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { chatError, isChatError } from "../../errors.ts";
import { fieldsOf } from "../../../core/protocol/reading/lenient.ts";
import { mcpFault, readMcpServers, readSettings, type ManusConfig, type SettingSources } from "./settings.ts";

export interface ConfigOptions extends Omit<SettingSources, "file"> {
  /** The folder in which `config/` lies. */
  readonly root: string;
}

/**
 * Reads `config/config.toml`, else `config/config.example.toml`, and `config/mcp.json` where there is one.
 * Code comes before environment, environment before the file. Needs the package smol-toml.
 * @throws ChatError "validation" that names the file, the line or the path of a value
 */
export async function loadConfig({ root, ...sources }: ConfigOptions): Promise<ManusConfig> {
  const found = (await readText(root, "config.toml")) ?? (await readText(root, "config.example.toml"));
  if (found === undefined) {
    throw chatError("validation", "No configuration file found in config directory", {
      where: join(root, "config"),
      hint: "Copy config/config.example.toml to config/config.toml and put your key in.",
    });
  }
  const llm = readSettings({ file: await parseToml(found), ...sources });
  const mcp = await readText(root, "mcp.json");
  return { llm, mcp: { servers: mcp === undefined ? {} : parseMcp(mcp.text) } };
}

interface FoundFile {
  readonly name: string;
  readonly text: string;
}

async function readText(root: string, name: string): Promise<FoundFile | undefined> {
  try {
    return { name: `config/${name}`, text: await readFile(join(root, "config", name), "utf8") };
  } catch (cause) {
    const { code } = fieldsOf(cause);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw chatError("validation", `config/${name} cannot be read: ${String(code)}`, {
      cause,
      where: join(root, "config"),
    });
  }
}

async function parseToml({ name, text }: FoundFile): Promise<unknown> {
  const { parse } = await import("smol-toml");
  try {
    return parse(text);
  } catch (cause) {
    const { line, column } = fieldsOf(cause);
    const why = cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : String(cause);
    const where = `${name}:${String(line)}:${String(column)}`;
    throw chatError("validation", `${where}: ${why}`, { cause, where });
  }
}

function parseMcp(text: string): ManusConfig["mcp"]["servers"] {
  try {
    return readMcpServers(JSON.parse(text));
  } catch (cause) {
    if (isChatError(cause)) throw cause;
    throw mcpFault(cause instanceof Error ? cause.message : String(cause), cause);
  }
}
