import type { LlmSettings } from "../../../src/systems/openmanus/index.ts";

/** Settings as a file gives them that names only what it must: all else is the default. */
export const SETTINGS: LlmSettings = {
  model: "gpt-4o",
  base_url: "u",
  api_key: "k",
  max_tokens: 4096,
  max_input_tokens: null,
  temperature: 1,
  api_type: "",
  api_version: "",
};
