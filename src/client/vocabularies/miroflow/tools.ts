import { type Fields, fieldsOf, listOf } from "../../../core/protocol/reading/lenient.ts";
import { stringIn } from "../../json/plain.ts";
import { plainToolNames, type ToolNames } from "./tool-names.ts";

/** A server as MCP managers describe it; a tool that could not be had is `{error}` and is left out with a warning. */
export interface ToolServer {
  readonly name: string;
  readonly tools?: readonly Fields[];
}

export interface ConvertOptions {
  readonly names?: ToolNames;
  readonly warn?: (message: string) => void;
}

/** Tool definitions as OpenAI takes them: servers in order, their tools in order. */
export function convertToolDefinitionToToolCall(
  servers: readonly ToolServer[],
  { names = plainToolNames, warn = () => undefined }: ConvertOptions = {},
): readonly Fields[] {
  return servers.flatMap(({ name: server, tools }) =>
    listOf(tools).flatMap((tool) => {
      const { name, description, schema, error } = fieldsOf(tool);
      if (typeof name !== "string") {
        warn(`A tool of ${server} is left out: ${stringIn(error) ?? "it has no name"}`);
        return [];
      }
      const called = { name: names.nameOf({ server, tool: name }), description, parameters: schema };
      return [{ type: "function", function: called }];
    }),
  );
}
