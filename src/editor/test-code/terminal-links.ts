import { missingCalls } from "../findings/findings-model.ts";
import * as vscode from "vscode";
import { addressArguments } from "../window/addressed-model.ts";
import { COMMANDS } from "../window/ids.ts";
import type { RecordingAddress } from "../../core/cassette/recording.ts";
import { callLinks, type KnownCalls } from "./terminal-links-model.ts";
import type { CodeDeps } from "./code-deps.ts";
import type { CallTarget } from "../calls/call-node-model.ts";

class TerminalCallLink extends vscode.TerminalLink {
  readonly target: CallTarget;

  constructor(start: number, length: number, target: CallTarget) {
    super(start, length, "missing" in target ? "Show the missing call" : "Open the recording");
    this.target = target;
  }
}

/** In every terminal, what names a call leads to it: the failure of a test, a key, a recording's file. */
export function registerTerminalLinks(deps: CodeDeps): vscode.Disposable {
  const { session, terminals } = deps;
  const provider: vscode.TerminalLinkProvider<TerminalCallLink> = {
    provideTerminalLinks({ line, terminal }) {
      const folder = terminals.folderOf(terminal);
      if (folder && folder.uri.toString() !== session.folder.uri.toString()) return [];
      return callLinks(line, knownCalls(deps)).map(
        ({ start, length, target }) => new TerminalCallLink(start, length, target),
      );
    },
    handleTerminalLink: async ({ target }) => {
      const answered = "finding" in target && !session.state.findings.some(({ id }) => id === target.finding);
      const command = "missing" in target && !answered ? COMMANDS.goToMissing : COMMANDS.openCall;
      await vscode.commands.executeCommand(command, ...addressArguments([target], session.tag));
    },
  };
  return vscode.window.registerTerminalLinkProvider(provider);
}

function knownCalls({ session, index }: CodeDeps): KnownCalls {
  return {
    missing: missingCalls(session.state.findings),
    firstEntry(fits) {
      let first: RecordingAddress | undefined;
      for (const [address] of index.known())
        if (fits(address.key) && (first === undefined || address.take < first.take)) first = address;
      return first?.entry;
    },
  };
}
