import { openaiDialect } from "../openai/dialect.ts";
import type { Dialect } from "../protocol.ts";

/** A provider that is only known by its address. Most private servers speak OpenAI's error shape. */
export const plainDialect: Dialect = {
  name: "http",
  operations: [],
  refuse: (error) => openaiDialect.refuse(error),
};
