import { fieldsOf, listOf } from "../../../core/protocol/reading/lenient.ts";
import { stringIn } from "../../json/plain.ts";
import { repairJson } from "../../json/repair-json.ts";
import { plainToolNames, type ToolNames } from "./tool-names.ts";

/** A tool call as MiroFlow's executor takes it. */
export interface MiroToolCall {
  readonly server_name: string;
  readonly tool_name: string;
  /** Usually an object; what could not be read is `{error, raw}`. */
  readonly arguments: unknown;
  readonly id: string | null;
}

/**
 * The tool calls in an answer: blocks `<use_mcp_tool>` of a text, the `tool_calls` of a chat completion (a list), or
 * the output of the responses API (an object).
 */
export function parseToolCalls(answer: unknown, names: ToolNames = plainToolNames): readonly MiroToolCall[] {
  if (typeof answer === "string") return parseBlocks(answer);
  if (Array.isArray(answer)) {
    return answer.map((call: unknown) => {
      const { id, function: called } = fieldsOf(call);
      return named(fieldsOf(called), stringIn(id) ?? null, names);
    });
  }
  return listOf(fieldsOf(answer)["output"])
    .map(fieldsOf)
    .filter(({ type }) => type === "function_call")
    .map((item) => named(item, stringIn(item["call_id"]) ?? null, names));
}

function named(
  { name, arguments: args }: Readonly<Record<string, unknown>>,
  id: string | null,
  names: ToolNames,
): MiroToolCall {
  const { server, tool } = names.placeOf(stringIn(name) ?? "");
  return { server_name: server, tool_name: tool, arguments: readArguments(stringIn(args) ?? ""), id };
}

const BLOCK =
  /<use_mcp_tool>\s*<server_name>([^<]*)<\/server_name>\s*<tool_name>([^<]*)<\/tool_name>\s*<arguments>([\s\S]*?)<\/arguments>\s*<\/use_mcp_tool>/g;

function parseBlocks(text: string): readonly MiroToolCall[] {
  return [...text.matchAll(BLOCK)].map(([, server = "", tool = "", args = ""]) => ({
    server_name: server.trim(),
    tool_name: tool.trim(),
    arguments: readArguments(args.trim()),
    id: null,
  }));
}

/** JSON, else what was meant as JSON, else what could not be read. Members that are null are left out. */
function readArguments(text: string): unknown {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    read = repairJson(text) ?? { error: "Failed to parse arguments", raw: text };
  }
  if (typeof read !== "object" || read === null || Array.isArray(read)) return read;
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== null));
}

/** Tools whose server models get wrong. */
const CORRECTED = new Set(["run_python_code", "google_search", "scrape_and_extract_info"]);
const RENAMED = new Set(["python", "python_code"]);

/** An answer with the server names that its system prompt says for well-known tools. What is no text passes as it is. */
export function fixServerNames(answer: unknown, systemPrompt: string): unknown {
  if (typeof answer !== "string") return answer;
  const servers = serversByTool(systemPrompt);
  return answer.replace(
    /<server_name>([^<]*)<\/server_name>(\s*)<tool_name>([^<]*)<\/tool_name>/g,
    (_, server: string, space: string, given: string) => {
      const tool = RENAMED.has(given.trim()) ? "run_python_code" : given;
      const known = CORRECTED.has(tool.trim()) ? servers.get(tool.trim()) : undefined;
      return `<server_name>${known ?? server}</server_name>${space}<tool_name>${tool}</tool_name>`;
    },
  );
}

function serversByTool(systemPrompt: string): ReadonlyMap<string, string> {
  const servers = new Map<string, string>();
  let server = "";
  for (const line of systemPrompt.split("\n")) {
    server = /^## Server name:\s*(.+?)\s*$/.exec(line)?.[1] ?? server;
    const tool = /^### Tool name:\s*(.+?)\s*$/.exec(line)?.[1];
    if (tool !== undefined && server !== "" && !servers.has(tool)) servers.set(tool, server);
  }
  return servers;
}

/** What an answer says before its first tool call. */
export function answerText(answer: string): string {
  const [before = ""] = answer.split("<use_mcp_tool>", 1);
  return before.trim();
}

/** What is worth keeping of an answer: what it says after thinking, or where that is nothing, what it thought. */
export function experienceText(answer: string): string {
  const text = answerText(answer);
  const said = text.replace(/<think>[\s\S]*?<\/think>/g, "").trim();
  return said === "" ? (/<think>([\s\S]*?)<\/think>/.exec(text)?.[1] ?? "").trim() : said;
}
