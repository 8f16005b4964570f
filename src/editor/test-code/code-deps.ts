import type * as vscode from "vscode";
import type { Log } from "../window/log.ts";
import type { Session } from "../session/session.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";
import type { TerminalFolders } from "../environment/terminal-folders.ts";
import type { TestFiles } from "./test-files.ts";

/** What the features on source files work with. */
export interface CodeDeps {
  readonly session: Session;
  readonly index: RecordingIndex;
  readonly files: TestFiles;
  readonly log: Log;
  readonly terminals: TerminalFolders;
}

export const TEST_LANGUAGES: vscode.DocumentSelector = [
  "typescript",
  "typescriptreact",
  "javascript",
  "javascriptreact",
  "python",
].map((language) => ({ language, scheme: "file" }));
