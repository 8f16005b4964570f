import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { EventEmitter } from "node:events";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { rootDir } from "../../scripts/host/paths.mjs";
import type { AgentProject } from "../../src/agent/agent-project.ts";
import type { Limits } from "../../src/core/answer/budget/limits.ts";
import { createCommandLineProject } from "../../src/cli/agent/command-line-project.ts";
import { serveMcp } from "../../src/cli/agent/mcp-server.ts";
import { mcp } from "../../src/cli/commands/agent.ts";
import { readArguments } from "../../src/cli/options/arguments.ts";
import { readServeOptions } from "../../src/cli/options/serve-options.ts";
import type { Terminal } from "../../src/cli/terminal.ts";
import { openDeck } from "../../src/deck/deck.ts";
import { plainEnvironment } from "../cli/tapedeck.ts";

export interface AnAgent {
  /** Calls a tool and returns its text. */
  use(name: string, input?: object): Promise<{ readonly text: string; readonly isError: boolean }>;
  /** The questions that the person was asked, in order. */
  readonly questions: readonly string[];
  readonly client: Client;
  readonly project: AgentProject;
}

interface Setting {
  readonly cwd: string;
  readonly options?: readonly string[];
  /** Whether the person agrees to a question, or the client's whole answer; absent if the client cannot ask. */
  readonly agrees?: (question: string) => boolean | ElicitResult | Promise<ElicitResult>;
  readonly budget?: Limits;
  /** Adds to the project's implementation. */
  readonly around?: (project: AgentProject) => AgentProject;
}

/** The official client, connected to the server of a project of the command line. */
export async function anAgent({ cwd, options = [], agrees, budget, around }: Setting): Promise<AnAgent> {
  const terminal: Terminal = {
    out: () => undefined,
    outAsIs: () => undefined,
    err: () => undefined,
    color: { out: false, err: false },
    env: plainEnvironment(),
    cwd,
    program: join(rootDir, "dist", "cli.js"),
    signals: new EventEmitter(),
    hasKeyboard: false,
    streams: ["ignore", 2, 2],
    now: () => Date.now(),
  };
  const serveOptions = readServeOptions(readArguments(mcp, options), terminal);
  const deck = openDeck({ dir: serveOptions.dir, upstreams: serveOptions.upstreams });
  const own = createCommandLineProject({ deck, options: serveOptions, terminal });
  const project = around?.(own) ?? own;
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const served = serveMcp({ project, version: "1.0.0", budget }, theirs);
  const client = new Client(
    { name: "scripted agent", version: "1.0.0" },
    { capabilities: agrees === undefined ? {} : { elicitation: {} } },
  );
  const questions: string[] = [];
  if (agrees !== undefined)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      questions.push(params.message);
      const answer = agrees(params.message);
      if (typeof answer !== "boolean") return answer;
      return answer
        ? { action: "accept" as const, content: { agree: true } }
        : { action: "decline" as const };
    });
  await client.connect(ours);
  onTestFinished(async () => {
    await client.close();
    await served;
    await deck.close();
  });
  return {
    client,
    project,
    questions,
    async use(name, input = {}) {
      const result = await client.callTool({ name, arguments: { ...input } }, undefined, {
        timeout: 120_000,
      });
      const [content] = result.content as { readonly text: string }[];
      return { text: content?.text ?? "", isError: result.isError === true };
    },
  };
}
