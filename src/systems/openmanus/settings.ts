import { loadPeer } from "../../client/check-options.ts";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Fields, readFields, readList, readString } from "../../core/base/lenient.ts";
import { chatError, invalid, isChatError } from "../../client/errors.ts";
import { describeThrown } from "../../core/base/thrown-text.ts";

/** One `[llm]` table with its defaults, by the names of the file. */
export interface LlmSettings {
  readonly model: string;
  readonly base_url: string;
  readonly api_key: string;
  readonly max_tokens: number;
  readonly max_input_tokens: number | null;
  readonly temperature: number;
  /** "azure", "aws", or another value for APIs that are compatible with OpenAI's. */
  readonly api_type: string;
  readonly api_version: string;
}

export interface McpServer {
  readonly type: string;
  readonly url: string | null;
  readonly command: string | null;
  readonly args: readonly string[];
}

/** The sections that a client needs. Other sections of the file are ignored. */
export interface ManusConfig {
  /** By name; "default" is always there. */
  readonly llm: Readonly<Record<string, LlmSettings>>;
  readonly mcp: { readonly servers: Readonly<Record<string, McpServer>> };
}

/** Settings as they may be given, e.g. numbers as text. */
export type GivenSettings = Readonly<Partial<Record<keyof LlmSettings, unknown>>>;

export interface SettingSources {
  readonly file: unknown;
  /** `OPENMANUS_MODEL`, `OPENMANUS_API_KEY` and so on: over the file's `[llm]` table, below its named tables. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Settings that override all others, by name. "default" applies only to itself here. */
  readonly code?: Readonly<Record<string, GivenSettings>>;
}

const FIELDS = "model base_url api_key max_tokens max_input_tokens temperature api_type api_version".split(
  " ",
);

/** @throws ChatError "validation" that names the path of every invalid value, e.g. `llm.default.max_tokens` */
export function readSettings(sources: SettingSources): ManusConfig["llm"] {
  const { file, environment = {}, code = {} } = sources;
  const table = readFields(readFields(file)["llm"]);
  const named = Object.entries(table).filter(([, value]) => isTable(value));
  const fromEnvironment = FIELDS.map(
    (field) => [field, environment[`OPENMANUS_${field.toUpperCase()}`]] as const,
  );
  const base = { ...pickKnown(table), ...Object.fromEntries(fromEnvironment.filter(([, value]) => value)) };
  const names = ["default", ...named.map(([name]) => name), ...Object.keys(code)];
  const faults: string[] = [];
  const all = [...new Set(names)].map((name) => {
    const given = { ...base, ...pickKnown(readFields(table[name])), ...pickKnown(readFields(code[name])) };
    return [name, settingsFrom(given, `llm.${name}`, faults)] as const;
  });
  if (faults.length > 0) {
    const text = faults.join("; ");
    throw Object.assign(invalid("config", text), { message: text });
  }
  return Object.fromEntries(all);
}

function isTable(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function pickKnown(given: Fields): Fields {
  return Object.fromEntries(
    FIELDS.filter((field) => given[field] !== undefined).map((field) => [field, given[field]]),
  );
}

function settingsFrom(given: Fields, path: string, faults: string[]): LlmSettings {
  const text = (field: string, fallback?: string): string => {
    const value = given[field] ?? fallback;
    if (typeof value === "string") return value;
    faults.push(`${path}.${field}: Input should be a valid string`);
    return field;
  };
  const number = (field: string, kind: "integer" | "number", fallback?: number): number => {
    const value = coerce(given[field] ?? fallback, kind);
    if (typeof value === "number") return value;
    faults.push(`${path}.${field}: Input should be a valid ${kind}${value}`);
    return Number(value);
  };
  const [model, baseUrl, key] = [text("model"), text("base_url"), text("api_key")];
  if (isPlaceholder(key)) {
    faults.push(`${path}.api_key: is a placeholder, not a key; put your own in its place`);
  }
  return {
    model,
    base_url: baseUrl,
    api_key: key,
    max_tokens: number("max_tokens", "integer", 4096),
    max_input_tokens:
      (given["max_input_tokens"] ?? null) === null ? null : number("max_input_tokens", "integer"),
    temperature: number("temperature", "number", 1),
    api_type: text("api_type", ""),
    api_version: text("api_version", ""),
  };
}

const NUMBERS = {
  integer: /^[+-]?\d+(?:_\d+)*(?:\.0*)?$/,
  number: /^[+-]?(?:\d+(?:_\d+)*\.?|(?:\d+(?:_\d+)*)?\.\d+(?:_\d+)*)(?:e[+-]?\d+)?$/i,
};

/** Reads a number as Pydantic does: true is 1, and digits may have "_" between them. NaN for all other values. */
function readNumber(value: unknown, kind: "integer" | "number"): number {
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "number") return value;
  const text = typeof value === "string" ? value.trim() : "";
  return NUMBERS[kind].test(text) ? Number(text.replaceAll("_", "")) : Number.NaN;
}

/** Returns the number, or the rest of the message "Input should be a valid …". */
function coerce(value: unknown, kind: "integer" | "number"): number | string {
  if (typeof value === "bigint") return Number(value);
  const number = readNumber(value, kind);
  if (!Number.isFinite(number)) {
    return typeof value === "string"
      ? `, unable to parse string as ${kind === "integer" ? "an integer" : "a number"}`
      : "";
  }
  if (kind === "integer" && !Number.isInteger(number)) return ", got a number with a fractional part";
  return kind === "integer" && number < 0 ? ", got a negative number" : number;
}

/** Matches placeholders of a key in example files: "YOUR_API_KEY", "<your key>", "sk-...". */
function isPlaceholder(key: string): boolean {
  return /^<.*>$|^your[-_ ].*key|^(?:sk-)?\.{3,}$|^(?:sk-)?x{3,}$/i.test(key.trim());
}

export function shownSettings(settings: LlmSettings): LlmSettings {
  return { ...settings, api_key: settings.api_key === "" ? "" : "***" };
}

/** Reads the servers of a parsed `config/mcp.json`. @throws ChatError "validation" */
function readMcpServers(file: unknown): ManusConfig["mcp"]["servers"] {
  const servers = Object.entries(readFields(readFields(file)["mcpServers"]));
  return Object.fromEntries(
    servers.map(([name, server]) => {
      const { type, url, command, args } = readFields(server);
      if (typeof type !== "string") throw mcpFault(`'type' is missing in mcpServers.${name}`);
      const texts = readList(args).flatMap((arg) => readString(arg) ?? []);
      return [
        name,
        { type, url: readString(url) ?? null, command: readString(command) ?? null, args: texts },
      ];
    }),
  );
}

function mcpFault(why: string, cause?: unknown): Error {
  return chatError("validation", `Failed to load MCP server config: ${why}`, { cause });
}

export interface ConfigOptions extends Omit<SettingSources, "file"> {
  /** The folder that contains `config/`. */
  readonly root: string;
}

/**
 * Reads `config/config.toml`, else `config/config.example.toml`, and `config/mcp.json` if it exists.
 * Code overrides the environment, and the environment overrides the file. Needs the package smol-toml.
 * @throws ChatError "validation" that names the file, the line or the path of a value
 */
export async function loadConfig(given: ConfigOptions): Promise<ManusConfig> {
  const { root, ...sources } = given;
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
    const { code } = readFields(cause);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw chatError("validation", `config/${name} cannot be read: ${String(code)}`, {
      cause,
      where: join(root, "config"),
    });
  }
}

async function parseToml({ name, text }: FoundFile): Promise<unknown> {
  const { parse } = await loadPeer(() => import("smol-toml"));
  try {
    return parse(text);
  } catch (cause) {
    const { line, column } = readFields(cause);
    const why = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
    const where = `${name}:${String(line)}:${String(column)}`;
    throw chatError("validation", `${where}: ${String(why)}`, { cause, where });
  }
}

function parseMcp(text: string): ManusConfig["mcp"]["servers"] {
  try {
    return readMcpServers(JSON.parse(text));
  } catch (cause) {
    if (isChatError(cause)) throw cause;
    throw mcpFault(describeThrown(cause), cause);
  }
}
