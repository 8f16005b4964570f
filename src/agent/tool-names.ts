import { getMissId, type OpenMiss } from "./agent-project.ts";

/** The names by which models call the tools, the same in every program. */
export const TOOL_NAMES = [
  "tapedeck_list_misses",
  "tapedeck_explain_miss",
  "tapedeck_search_recordings",
  "tapedeck_read_recording",
  "tapedeck_compare",
  "tapedeck_run_test",
  "tapedeck_record",
  "tapedeck_write_reply",
  "tapedeck_add_rule",
] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

export const RUN: ToolName = "tapedeck_run_test";

/** Returns a call of a tool for a miss as a result suggests it: the name, and its input as JSON. */
export const formatToolCall = (name: ToolName, miss: Pick<OpenMiss, "key">): string =>
  `${name} ${JSON.stringify({ miss: getMissId(miss) })}`;

/** The section of AGENTS.md that points to the skill. */
export const POINTER = `## LLM calls in tests

Tests replay recorded LLM calls with Tapedeck. If a test fails with \`tapedeck_miss\`, read \`.agents/skills/tapedeck/SKILL.md\` first.
`;
