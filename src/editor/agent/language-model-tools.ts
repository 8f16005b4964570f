import { localize } from "../../core/base/localize.ts";
import { existsSync } from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import { createAgent, type Agent } from "../../agent/agent.ts";
import { getMissId, type Ask, type ApprovalRequest } from "../../agent/agent-project.ts";
import { readFields, readText } from "../../core/base/lenient.ts";
import type { ViewFolder } from "../calls-tree/calls-model.ts";
import { listMissingCalls } from "../findings/findings-model.ts";
import type { Sessions } from "../session/folder-session.ts";
import type { Session } from "../session/session.ts";
import { removeMarkupFromLine } from "../window/messages-model.ts";
import { createEditorProject } from "./editor-project.ts";

export type LanguageModelTools = ReturnType<typeof createTools>;

/** The tools of language models. VS Code asks the user to confirm those that pay or change something. */
export function createTools(sessions: Sessions<ViewFolder>) {
  const agents = new WeakMap<Session, Agent>();
  const agentOf = (session: Session): Agent => {
    const known = agents.get(session);
    if (known !== undefined) return known;
    const created = createAgent({ project: createEditorProject(session), client: () => "VS Code" });
    agents.set(session, created);
    return created;
  };
  /** The questions that VS Code showed, by tool and input. */
  const shown = new Map<string, string>();
  const callId = (name: string, input: unknown): string => JSON.stringify([name, input]);
  return {
    async prepare(name: string, input: unknown): Promise<vscode.PreparedToolInvocation> {
      const question = await agentOf(findSession(input, sessions)).questionOf(name, input);
      if (question === undefined) {
        shown.delete(callId(name, input));
        return name === "tapedeck_run_test" ? { invocationMessage: localize("Replaying a test") } : {};
      }
      shown.set(callId(name, input), formatApproval(question));
      const message = new vscode.MarkdownString().appendText(question.detail);
      return { confirmationMessages: { title: removeMarkupFromLine(question.title), message } };
    },
    async invoke(
      name: string,
      input: unknown,
      token: vscode.CancellationToken,
    ): Promise<vscode.LanguageModelToolResult> {
      const stopped = new AbortController();
      token.onCancellationRequested(() => stopped.abort());
      // The user confirmed this very question. A call that VS Code did not ask about is refused.
      const confirmed = shown.get(callId(name, input));
      shown.delete(callId(name, input));
      const ask: Ask = async (question) => formatApproval(question) === confirmed;
      const agent = agentOf(findSession(input, sessions));
      const { text } = await agent.call({ name, input, ask, signal: stopped.signal });
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
    },
  };
}

const formatApproval = ({ title, detail }: ApprovalRequest): string => `${title}\n${detail}`;

/** Returns the folder with the file or the missing call of an input, or else that of the active editor. */
function findSession(input: unknown, { all, current }: Sessions<ViewFolder>): Session {
  const { file, miss } = readFields(input);
  const [named, id] = [readText(file), readText(miss)];
  const found = all.find(
    ({ session }) =>
      (named !== undefined && existsSync(path.join(session.folder.uri.fsPath, named))) ||
      (id !== undefined &&
        listMissingCalls(session.state.findings).some((one) => getMissId(one.miss) === id)),
  );
  const chosen = found ?? current;
  if (chosen === undefined) throw new Error(localize("Open the folder of your project, then try again."));
  return chosen.session;
}
