import * as vscode from "vscode";
import { readFields, readList } from "../../core/base/lenient.ts";
import type { ViewFolder } from "../calls-tree/calls-model.ts";
import type { Sessions } from "../session/folder-session.ts";
import type { LanguageModelTools } from "./language-model-tools.ts";

/** A later part of the API than that of the oldest supported VS Code (1.101). */
interface McpApi {
  readonly registerMcpServerDefinitionProvider?: (id: string, provider: object) => vscode.Disposable;
}

/** Registers the tools and the server of coding agents. Their code is loaded when one is first used. */
export function registerAgents(
  context: vscode.ExtensionContext,
  sessions: Sessions<ViewFolder>,
): vscode.Disposable {
  let loading: Promise<LanguageModelTools> | undefined;
  const load = () => (loading ??= import("./language-model-tools.ts").then((it) => it.createTools(sessions)));
  const manifest = context.extension.packageJSON as unknown;
  const tools = readList(readFields(readFields(manifest)["contributes"])["languageModelTools"]).map(
    (tool) => {
      const name = String(readFields(tool)["name"]);
      return vscode.lm.registerTool(name, {
        prepareInvocation: async ({ input }) => (await load()).prepare(name, input),
        invoke: async ({ input }, token) => (await load()).invoke(name, input, token),
      });
    },
  );
  const server = (vscode.lm as McpApi).registerMcpServerDefinitionProvider?.("tapedeck", {
    provideMcpServerDefinitions: async () =>
      (await import("./mcp-servers.ts")).defineMcpServers(context, sessions),
  });
  return vscode.Disposable.from(...tools, ...(server ? [server] : []));
}
