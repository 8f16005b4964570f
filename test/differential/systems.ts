import { agentscopeAnswers } from "./agentscope-answers.ts";
import { echoScripts } from "./echo-scripts.ts";
import { jsonRepair } from "./json-repair.ts";
import { kosongParts } from "./kosong-parts.ts";
import { metagptCalls } from "./metagpt-calls.ts";
import { miroflowConversations } from "./miroflow-conversations.ts";
import { openmanusCalls } from "./openmanus-calls.ts";
import type { Differential } from "./system.ts";

/** All originals that random inputs are given to. */
export const SYSTEMS: readonly Differential[] = [
  jsonRepair,
  echoScripts,
  agentscopeAnswers,
  miroflowConversations,
  openmanusCalls,
  metagptCalls,
  kosongParts,
];
