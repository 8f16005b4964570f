import {
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  getMember,
  type JsonObject,
  type JsonTree,
} from "../../base/json/json-tree.ts";
import type { Conversation } from "./protocol.ts";
import { readString } from "../../base/lenient.ts";

/** Formats each member of a request except those in `shown`, in wire order. */
export function listSettings(
  body: JsonTree | undefined,
  shown: readonly string[] = [],
): (readonly [string, string])[] {
  if (body === undefined || !isJsonObject(body)) return [];
  return body.members
    .filter(([name]) => !shown.includes(name))
    .map(([name, value]) => [name, (WORDS.get(name) ?? words)(value)] as const);
}

/** Makes a reader of the settings for an operation that shows the members `shown` elsewhere. */
export function createSettingsReader(
  ...shown: readonly string[]
): (body: JsonObject) => Conversation["settings"] {
  return (body) => listSettings(body, shown);
}

/** Formatters of members that have a shorter form than JSON. */
const WORDS: ReadonlyMap<string, (value: JsonTree) => string> = new Map([
  ["tools", (value: JsonTree) => listWords(value, describeTool)],
  ["functions", (value: JsonTree) => listWords(value, describeTool)],
  ["tool_choice", choiceWords],
  ["function_call", choiceWords],
  ["response_format", formatWords],
  // The other members of a server can contain a credential.
  ["mcp_servers", (value: JsonTree) => listWords(value, serverWords)],
]);

const serverWords = (server: JsonTree): string => textAt(server, "name") ?? textAt(server, "url") ?? "server";

/** Formats a tool like a call: `get_weather(city, unit?)`; a built-in tool by its name. */
export function describeTool(tool: JsonTree): string {
  const described = getMember(tool, "function") ?? getMember(tool, "custom") ?? tool;
  const name = textAt(described, "name") ?? textAt(tool, "type");
  if (name === undefined) return words(tool);
  const schema = getMember(described, "parameters") ?? getMember(described, "input_schema");
  return schema === undefined ? name : `${name}(${argumentWords(schema)})`;
}

/** Formats a tool by its name and the schema of its arguments. */
export function describeNamedTool(name: JsonTree = "", schema: JsonTree | undefined): string {
  const parameters = schema === undefined ? [] : [["parameters", schema] as const];
  return describeTool({ members: [["name", name], ...parameters] });
}

function argumentWords(schema: JsonTree): string {
  const properties = getMember(schema, "properties");
  const required = getMember(schema, "required");
  if (properties === undefined || !isJsonObject(properties)) return "";
  const needed = required !== undefined && isJsonArray(required) ? required : [];
  return properties.members.map(([name]) => (needed.includes(name) ? name : `${name}?`)).join(", ");
}

function choiceWords(choice: JsonTree): string {
  const named = textAt(getMember(choice, "function") ?? getMember(choice, "custom") ?? choice, "name");
  if (named === undefined) return words(choice);
  const others = isJsonObject(choice)
    ? choice.members.filter(([name]) => !["type", "name", "function", "custom"].includes(name))
    : [];
  return [named, ...others.map(([name, value]) => `${name} ${nestedWords(value)}`)].join(", ");
}

function formatWords(format: JsonTree): string {
  const schema = getMember(format, "json_schema");
  const type = textAt(format, "type");
  if (schema === undefined || type === undefined) return words(format);
  const inner = getMember(schema, "schema");
  const name = textAt(schema, "name") ?? "";
  const strict = getMember(schema, "strict") === true ? ", strict" : "";
  return `${type} ${name}(${inner === undefined ? "" : argumentWords(inner)})${strict}`;
}

/** Formats a value: strings unchanged, lists with commas, objects by their type and members. */
function words(value: JsonTree): string {
  if (typeof value === "string") return /[\n\r]/.test(value) ? JSON.stringify(value) : value;
  if (value === null || typeof value === "boolean") return String(value);
  if (isJsonNumber(value)) return value.number;
  if (isJsonArray(value)) return value.length === 0 ? "none" : value.map(nestedWords).join(", ");
  if (value.members.length === 0) return "nothing";
  return value.members
    .map(([name, inner]) => (name === "type" ? nestedWords(inner) : `${name} ${nestedWords(inner)}`))
    .join(", ");
}

/** Formats a nested value: quotes ambiguous strings, puts lists in brackets and objects in parentheses. */
function nestedWords(value: JsonTree): string {
  if (typeof value === "string") return /^[\w.:/@+-]+$/.test(value) ? value : JSON.stringify(value);
  if (value === null || typeof value !== "object" || isJsonNumber(value)) return words(value);
  return isJsonArray(value) ? `[${value.map(nestedWords).join(", ")}]` : `(${words(value)})`;
}

export function listWords(value: JsonTree, one: (item: JsonTree) => string): string {
  if (!isJsonArray(value)) return words(value);
  return value.length === 0 ? "none" : value.map(one).join(", ");
}

function textAt(tree: JsonTree, name: string): string | undefined {
  return readString(getMember(tree, name));
}
