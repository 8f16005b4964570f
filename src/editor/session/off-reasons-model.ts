/** Why a session is off, as sentences for a person. */
export const OFF = {
  restricted: "Restricted Mode: recordings can be read, nothing runs. Trust the workspace to start Tapedeck.",
  unused: "Not used in this workspace yet. Turned on, it points the LLM clients of new terminals to itself.",
  turnedOff: "Turned off in this workspace.",
} as const;
