import { type Fields, readFields, readList, readString } from "../../core/base/lenient.ts";
import { readPythonJson } from "../../client/json/python-json.ts";
import { repairJson } from "../../client/json/repair-json.ts";
import { BLANK, stripLikePython } from "../../client/python/blank.ts";
import { plainToolNames, type ToolNames } from "./tool-names.ts";

/** A tool call as MiroFlow's executor takes it. */
export interface MiroToolCall {
  readonly server_name: string;
  readonly tool_name: string;
  /**
   * `{error, raw}` if they could not be read. If a model writes JSON that is not an object, this is that value, as in the
   * original.
   */
  readonly arguments: Fields;
  readonly id: string | null;
}

/**
 * Reads the tool calls of an answer: blocks `<use_mcp_tool>` of a text, the `tool_calls` of a chat completion (a list), or
 * the output of the responses API (an object).
 */
export function parseToolCalls(answer: unknown, names: ToolNames = plainToolNames): readonly MiroToolCall[] {
  if (typeof answer === "string") return parseBlocks(answer);
  if (Array.isArray(answer)) {
    return answer.map((call: unknown) => {
      const { id, function: called } = readFields(call);
      return toolCallFrom(readFields(called), {
        id,
        names,
        read: (text) => readPythonJson(fromPython(text)),
      });
    });
  }
  return readList(readFields(answer)["output"])
    .map(readFields)
    .filter(({ type }) => type === "function_call")
    .map((item) => toolCallFrom(item, { id: item["call_id"], names, read: repairJson }));
}

function toolCallFrom(
  { name, arguments: args }: Readonly<Record<string, unknown>>,
  { id, names, read }: { readonly id: unknown; readonly names: ToolNames; readonly read: TextParser },
): MiroToolCall {
  const { server, tool } = names.placeOf(readString(name) ?? "");
  const text = readString(args) ?? "";
  return {
    server_name: server,
    tool_name: tool,
    arguments: readArguments(text, read),
    id: readString(id) ?? null,
  };
}

/** Tags around the server, the tool, and the arguments of a block, in order. */
const AROUND = [
  "<use_mcp_tool>%<server_name>",
  "</server_name>%<tool_name>",
  "</tool_name>%<arguments>",
  "</arguments>%</use_mcp_tool>",
].map((words) => new RegExp(words.replace("%", `${BLANK}*`), "g"));

/** Finds the blocks of a text. Each part ends at the first end tag, as in the original, whose pattern is slow. */
function parseBlocks(text: string): readonly MiroToolCall[] {
  const calls: MiroToolCall[] = [];
  let at = 0;
  while (true) {
    const parts: string[] = [];
    for (const around of AROUND) {
      around.lastIndex = at;
      const found = around.exec(text);
      if (found === null) return calls;
      parts.push(stripLikePython(text.slice(at, found.index)));
      at = around.lastIndex;
    }
    const [, server_name, tool_name, args] = parts as [string, string, string, string];
    calls.push({ server_name, tool_name, arguments: readArguments(args, repairJson), id: null });
  }
}

type TextParser = (text: string) => unknown;

/** Returns the parsed values, or the text that could not be parsed. Null members are omitted. */
function readArguments(text: string, reading: TextParser): Fields {
  const whole = readPythonJson(text);
  const read = whole === undefined ? reading(text) : whole;
  if (read === undefined) return { error: "Failed to parse arguments", raw: text };
  if (typeof read !== "object" || read === null || Array.isArray(read)) return read as Fields;
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== null));
}

/** Repairs the arguments of chat completions, to the same extent as the original. */
function fromPython(text: string): string {
  return text
    .replaceAll("'", '"')
    .replaceAll("None", "null")
    .replaceAll("True", "true")
    .replaceAll("False", "false");
}

/** Tools for which models often name a wrong server. */
const CORRECTED = new Set(["run_python_code", "google_search", "scrape_and_extract_info"]);

/** Replaces the server names of well-known tools by those of the system prompt. Changes texts only. */
export function fixServerNames(answer: unknown, systemPrompt: string): unknown {
  if (typeof answer !== "string") return answer;
  const servers = serversByTool(systemPrompt);
  const renamed = servers.has("run_python_code")
    ? answer.replaceAll(
        /<tool_name>(?:python|python_code)<\/tool_name>/g,
        "<tool_name>run_python_code</tool_name>",
      )
    : answer;
  return [...servers].reduce((text, [tool, server]) => {
    const wrong = new RegExp(
      `<server_name>[^<]+</server_name>(${BLANK}*<tool_name>${tool}</tool_name>)`,
      "g",
    );
    return text.replaceAll(wrong, (_, rest: string) => `<server_name>${server}</server_name>${rest}`);
  }, renamed);
}

function serversByTool(systemPrompt: string): ReadonlyMap<string, string> {
  const servers = new Map<string, string>();
  let server = "";
  for (const line of systemPrompt.split("\n")) {
    server = afterWords("## Server name:", line) ?? server;
    const tool = String(afterWords("### Tool name:", line));
    if (server !== "" && CORRECTED.has(tool)) servers.set(tool, server);
  }
  return servers;
}

/** Returns the text after the first words of a line; undefined if the line ends there, without even blanks. */
function afterWords(words: string, line: string): string | undefined {
  return line.startsWith(words) && line.length > words.length
    ? stripLikePython(line.slice(words.length))
    : undefined;
}

/** Returns the text of an answer before its first tool call. */
export function answerText(answer: string): string {
  const before = answer.replace(/<use_mcp_tool>[^]*/, "");
  return stripLikePython(before);
}

/** Returns the text of an answer after its first thoughts, or the thoughts if there is no text. */
export function experienceText(answer: string): string {
  const thoughts = /<think>([^]*?)<\/think>/.exec(answer);
  const text = answerText(thoughts === null ? answer : answer.slice(thoughts.index + thoughts[0].length));
  return text === "" ? stripLikePython(thoughts?.[1] ?? "") : text;
}
