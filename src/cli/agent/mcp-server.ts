import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Limits } from "../../core/answer/budget/limits.ts";
import { localize } from "../../core/base/localize.ts";
import { createAgent } from "../../agent/agent.ts";
import type { AgentProject, Ask } from "../../agent/agent-project.ts";
import { INSTRUCTIONS, TOOLS } from "../../agent/tools.ts";

/** Time for a person to answer, in milliseconds. */
const ANSWER_MS = 10 * 60_000;
/** Interval of the signs of life while a test runs, in milliseconds. */
const PROGRESS_MS = 10_000;

export interface McpOptions {
  readonly project: AgentProject;
  readonly version: string;
  readonly budget?: Limits | undefined;
}

/** Serves the tools of agents over a transport. Resolves when the client closes it. */
export async function serveMcp(
  { project, version, budget }: McpOptions,
  transport: Transport = new StdioServerTransport(),
): Promise<void> {
  const server = new Server(
    { name: "tapedeck", version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  const client = (): string => server.getClientVersion()?.name ?? "unknown";
  const agent = createAgent({ project, client, ...(budget && { budget }) });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: TOOLS.map(({ name, description, inputSchema, effect }) => ({
      name,
      description,
      inputSchema: { ...inputSchema, type: "object" as const },
      annotations: {
        readOnlyHint: effect === "read",
        destructiveHint: false,
        openWorldHint: name === "tapedeck_record",
      },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification, _meta }) => {
    const progressToken = _meta?.progressToken;
    let progress = 0;
    const sendProgress = (): void => {
      if (progressToken === undefined) return;
      progress += 1;
      const method = "notifications/progress";
      void sendNotification({ method, params: { progressToken, progress } }).catch(() => undefined);
    };
    const ticking = setInterval(sendProgress, PROGRESS_MS);
    try {
      const { name, arguments: input } = params;
      const { text, isError } = await agent.call({ name, input, signal, ask: askThrough(server, signal) });
      return { content: [{ type: "text", text }], isError };
    } finally {
      clearInterval(ticking);
    }
  });
  // The SDK has this member in place of an event.
  const closed = new Promise<void>((resolve) => Object.assign(server, { onclose: resolve }));
  await server.connect(transport);
  if (transport instanceof StdioServerTransport) process.stdin.once("end", () => void server.close());
  await closed;
}

/** Asks the user of the client. A client without elicitation, or whose question fails, has no agreement. */
function askThrough(server: Server, signal: AbortSignal): Ask {
  return async ({ title, detail }) => {
    if (server.getClientCapabilities()?.elicitation === undefined) return false;
    const agree = { type: "boolean", title: localize("Yes, do this"), default: false } as const;
    const asking = server.elicitInput(
      {
        message: `${title}\n\n${detail}`,
        requestedSchema: { type: "object", properties: { agree }, required: ["agree"] },
      },
      { timeout: ANSWER_MS, signal },
    );
    const { action, content } = await asking.catch(() => ({ action: "cancel", content: undefined }));
    return action === "accept" && content?.["agree"] === true;
  };
}
