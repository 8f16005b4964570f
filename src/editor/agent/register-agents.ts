import * as path from "node:path";
import * as vscode from "vscode";
import { readFields, readList } from "../../core/base/lenient.ts";
import type { ViewFolder } from "../calls-tree/calls-model.ts";
import type { Sessions } from "../session/folder-session.ts";
import type { LanguageModelTools } from "./language-model-tools.ts";

/** Part of the API since VS Code 1.101, which is later than the oldest supported one. */
interface McpApi {
  readonly registerMcpServerDefinitionProvider?: (id: string, provider: object) => vscode.Disposable;
}

/** Registers the tools and the server of coding agents. The code of the tools is loaded when one is first used. */
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
    provideMcpServerDefinitions: () => defineMcpServers(context, sessions),
  });
  return vscode.Disposable.from(...tools, ...(server ? [server] : []));
}

type DefineServer = new (
  label: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  version: string,
) => { cwd?: vscode.Uri };

/** Returns a server for each trusted folder: `tapedeck mcp`, run by the Node of VS Code. It gets no keys. */
export function defineMcpServers(
  { extensionPath, extension }: vscode.ExtensionContext,
  { all }: Sessions<ViewFolder>,
): readonly object[] {
  const { McpStdioServerDefinition: Definition } = vscode as unknown as {
    readonly McpStdioServerDefinition: DefineServer;
  };
  const { version } = extension.packageJSON as { readonly version: string };
  const program = path.join(extensionPath, "dist", "cli.js");
  return all
    .filter(({ session }) => session.trusted)
    .map(({ session }) => {
      const { folder, deck } = session;
      const label = all.length === 1 ? "Tapedeck" : `Tapedeck: ${folder.name}`;
      const args = [program, "mcp", "--dir", deck.dir];
      const server = new Definition(label, process.execPath, args, { ELECTRON_RUN_AS_NODE: "1" }, version);
      server.cwd = folder.uri;
      return server;
    });
}
