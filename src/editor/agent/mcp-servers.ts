import * as path from "node:path";
import process from "node:process";
import * as vscode from "vscode";
import type { ViewFolder } from "../calls-tree/calls-model.ts";
import type { Sessions } from "../session/folder-session.ts";

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
