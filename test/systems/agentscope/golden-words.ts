import type { ChatResponse } from "../../../src/systems/agentscope/index.ts";

/** The two models of structured answers that the rows name. */
export const MODELS: Readonly<Record<string, { readonly schema: Record<string, unknown> }>> = {
  Person: {
    schema: {
      description: "A person",
      properties: {
        name: { description: "full name", title: "Name", type: "string" },
        age: { title: "Age", type: "integer" },
        tags: {
          anyOf: [{ items: { type: "string" }, type: "array" }, { type: "null" }],
          default: null,
          title: "Tags",
        },
      },
      required: ["name", "age"],
      title: "Person",
      type: "object",
    },
  },
  Nested: {
    schema: {
      $defs: {
        Inner: {
          properties: { x: { title: "X", type: "integer" } },
          required: ["x"],
          title: "Inner",
          type: "object",
        },
      },
      properties: {
        inner: { $ref: "#/$defs/Inner" },
        kind: { default: "a", enum: ["a", "b"], title: "Kind", type: "string" },
      },
      required: ["inner"],
      title: "Nested",
      type: "object",
    },
  },
};

/** The result of a call. */
export interface CallOutcome {
  streaming?: boolean;
  readonly responses: ChatResponse[];
  error?: unknown;
}

export function camel(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
