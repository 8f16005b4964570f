import { computeSha256 } from "../../client/sha256.ts";
import { type Fields, readFields, readList, readString } from "../../core/base/lenient.ts";

export interface ToolPlace {
  readonly server: string;
  readonly tool: string;
}

/** Maps tools to the names that a model sees, and back. */
export interface ToolNames {
  nameOf(place: ToolPlace): string;
  placeOf(name: string): ToolPlace;
}

/** MiroFlow's names: `<server>-<tool>`, split at the last dash. Without a dash, the server is "unknown". */
export const plainToolNames: ToolNames = {
  nameOf: ({ server, tool }) => `${server}-${tool}`,
  placeOf(name) {
    const dash = name.lastIndexOf("-");
    if (dash < 0) return { server: "unknown", tool: name };
    return { server: name.slice(0, dash), tool: name.slice(dash + 1) };
  },
};

const LONGEST = 64;

/**
 * Creates names that every provider accepts: letters, digits, "_", and "-", at most 64 characters. They are remembered,
 * so that names with a dash can be mapped back. If two tools would share a name, the second gets a suffix.
 */
export function safeToolNames(): ToolNames {
  const byName = new Map<string, ToolPlace>();
  return {
    nameOf(place) {
      const name = safeName(place, byName);
      byName.set(name, place);
      return name;
    },
    placeOf: (name) => byName.get(name) ?? plainToolNames.placeOf(name),
  };
}

function safeName(place: ToolPlace, taken: ReadonlyMap<string, ToolPlace>): string {
  const plain = plainToolNames.nameOf(place);
  const safe = plain.replace(/[^a-zA-Z0-9_-]/g, "_");
  const other = taken.get(safe);
  const isFree = other === undefined || (other.server === place.server && other.tool === place.tool);
  if (isFree && safe.length <= LONGEST) return safe;
  const mark = computeSha256(JSON.stringify([place.server, place.tool])).slice(0, 8);
  return `${safe.slice(0, LONGEST - mark.length - 1)}_${mark}`;
}

/** A server as MCP managers describe it. A tool that failed to load is `{error}`, and is omitted with a warning. */
export interface ToolServer {
  readonly name: string;
  readonly tools?: readonly Fields[];
}

interface ConvertOptions {
  readonly names?: ToolNames;
  readonly warn?: (message: string) => void;
}

/** Converts tool definitions to those of OpenAI: servers in order, their tools in order. */
export function convertToolDefinitionToToolCall(
  servers: readonly ToolServer[],
  { names = plainToolNames, warn = () => undefined }: ConvertOptions = {},
): readonly Fields[] {
  return servers.flatMap(({ name: server, tools }) =>
    readList(tools).flatMap((tool) => {
      const { name, description, schema, error } = readFields(tool);
      if (typeof name !== "string") {
        warn(`A tool of ${server} is left out: ${readString(error) ?? "it has no name"}`);
        return [];
      }
      const called = { name: names.nameOf({ server, tool: name }), description, parameters: schema };
      return [{ type: "function", function: called }];
    }),
  );
}
