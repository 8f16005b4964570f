// Makes tests and the demo independent of the keys, addresses, and proxies in the environment of a machine or CI.

const OWN = /^TAPEDECK_(?:CONFORMANCE_DATA|HOST_CACHE|WITHOUT)$/;
const NAMES =
  /^(?:CI|FORCE_COLOR|NO_COLOR|NODE_ENV|NODE_OPTIONS|PYTHONPATH|ALLOW_OPENAI_API_CALL|(?:HTTPS?|ALL|NO)_PROXY)$/i;
const COMPANIES =
  /^(?:TAPEDECK|OPENAI|ANTHROPIC|AZURE|AWS|GOOGLE|GEMINI|VERTEX|OLLAMA|CO|COHERE|MISTRAL|GROQ|DEEPSEEK|XAI|TOGETHER|OPENROUTER|HF|MOONSHOT|KIMI|REPLICATE|DASHSCOPE|LANGCHAIN|LANGSMITH|LITELLM|CEREBRAS)_/i;
const SECRETS = /_(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS)$/i;

/** Whether a variable configures clients, terminals, or CI, or is a secret. @param {string} name */
export function isForeign(name) {
  return !OWN.test(name) && [NAMES, COMPANIES, SECRETS].some((one) => one.test(name));
}

/** Removes them from this process and its children, and sets one time zone everywhere. */
export function dropForeign() {
  for (const name of Object.keys(process.env)) if (isForeign(name)) delete process.env[name];
  process.env["TZ"] = "UTC";
}
