/** A JSON Schema (draft 2020-12) as data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What the model is told of a tool. How it runs is the caller's matter. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** An object schema; left out for a tool without parameters. */
  readonly parameters?: JsonSchema;
  /** Whether the provider is to hold the model to the schema, where it can. */
  readonly strict?: boolean;
}

/** Whether and which tool the model is to call; an object names the one that it must call. */
export type ToolChoice = "auto" | "none" | "required" | { readonly tool: string };

export const TOOL_CHOICES: readonly Extract<ToolChoice, string>[] = ["auto", "none", "required"];
