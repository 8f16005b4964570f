import type { JsonSchema } from "./tool.ts";

/**
 * A schema that can tell its own JSON Schema and check a value: zod 4.2 and later, and whatever else implements
 * Standard Schema with its JSON Schema extension. Source: standardschema.dev, 2026-11.
 */
export interface SelfDescribingSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
    readonly jsonSchema: { readonly input: (options: { readonly target: "draft-2020-12" }) => unknown };
  };
}

export type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly unknown[] | undefined;
      }[];
    };

/** What a structured answer must look like. */
export interface OutputSchema {
  /** A JSON Schema, or a zod schema. */
  readonly schema: JsonSchema | SelfDescribingSchema;
  /** How the provider is told to call it; letters, digits, `_` and `-`. Default "output". */
  readonly name?: string;
  readonly description?: string;
  /** Whether the provider is to hold the model to it, where it can. */
  readonly strict?: boolean;
}
