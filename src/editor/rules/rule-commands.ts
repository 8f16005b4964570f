import * as vscode from "vscode";
import { CONFIG_NAME } from "../../core/config/config.ts";
import { tapedeckError } from "../../core/errors.ts";
import type { Miss } from "../../core/call.ts";
import type { NormaliseRule } from "../../core/match/rules/rule.ts";
import type { Inspection } from "../../storage/check/inspect.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import type { Session } from "../session/session.ts";
import { missingOf } from "../call-commands/command-targets.ts";
import type { ViewDeps } from "../call-commands/view-deps.ts";
import { ask, sayInformation, showProgress } from "../window/messages.ts";
import type { ConsideredRule } from "../../core/match/rules/consider-rule.ts";
import { ruleText } from "../../core/view/rule-text.ts";

/** What can be done about differences that do not matter. */
export function ruleCommands(deps: ViewDeps) {
  const { session } = deps;
  return {
    [COMMANDS.ignoreDifference]: async (...args) => {
      const [call] = await missingOf(
        args,
        deps,
        "Ignore what keeps a missing call from its nearest recording",
      );
      if (call !== undefined) await ignore(call.miss, session);
    },
    [COMMANDS.fixNames]: () => rename(session),
  } satisfies Partial<CommandTable>;
}

async function ignore(miss: Miss, session: Session): Promise<void> {
  const options = { where: "status", title: "Looking at what a rule would do" } as const;
  const considered = await showProgress(options, () => session.deck.considerRule(miss));
  const { message, detail, mayAdd } = ruleQuestion(considered);
  const add = "Add Rule";
  const chosen = await ask({ text: message, detail, buttons: mayAdd ? [add] : [] });
  if (chosen === add && considered) await addRule(considered.rule, session);
}

/** Through the editor's own document, so that undo takes it back and nothing unsaved is lost. */
async function addRule(rule: NormaliseRule, { deck }: Session): Promise<void> {
  const uri = vscode.Uri.file(deck.project.path);
  const edit = new vscode.WorkspaceEdit();
  const document = await vscode.workspace.openTextDocument(uri).then(
    (opened) => opened,
    () => undefined,
  );
  const text = document?.getText() ?? "";
  const { withRule } = await import("../checks/folder-check.ts");
  const after = withRule(text, rule);
  if (document === undefined) edit.createFile(uri, { contents: new TextEncoder().encode(after) });
  else
    edit.replace(uri, new vscode.Range(new vscode.Position(0, 0), document.positionAt(text.length)), after);
  if (!(await vscode.workspace.applyEdit(edit)))
    throw tapedeckError("tapedeck_cassette", `${CONFIG_NAME} could not be changed.`, {
      hint: "Open it and add the rule by hand.",
    });
  const shown = await vscode.window.showTextDocument(uri, { preview: true });
  await shown.document.save();
  await deck.project.reload();
}

async function rename(session: Session): Promise<void> {
  const { deck } = session;
  const roots = [session.folder.uri.fsPath];
  const { fixNames, forgetRules, inspect } = await import("../checks/folder-check.ts");
  const look = (): Promise<Inspection> => inspect({ store: deck.store, dir: deck.dir, roots });
  await deck.project.reload();
  const { renamed } = await fixNames(deck.dir, (await look()).renames);
  await forgetRules(deck.dir, await look());
  void sayInformation(
    renamed.length === 1 ? "1 recording renamed." : `${renamed.length} recordings renamed.`,
  );
}

/** What a person reads before a rule is added, or why none is. */
interface RuleQuestion {
  readonly message: string;
  readonly detail: string;
  /** Whether there is a rule to add. */
  readonly mayAdd: boolean;
}

/** How many recordings a question names. */
const NAMED = 8;

function ruleQuestion(considered: ConsideredRule | undefined): RuleQuestion {
  if (considered === undefined)
    return {
      message: "No single rule makes this call the nearest recording's.",
      detail:
        "They differ in more than one place, or outside of a JSON body. Record the call, or write rules in tapedeck.jsonc by hand.",
      mayAdd: false,
    };
  const rule = ruleText(considered.rule);
  if (considered.collision)
    return {
      message: "Ignoring this difference would make one call of two recordings.",
      detail: `Under ${rule} these two, of different requests, would answer the same call:\n${considered.collision.join("\n")}`,
      mayAdd: false,
    };
  return {
    message: "Add this rule to tapedeck.jsonc?",
    detail: `${rule}\n\n${touchedText(considered)}`,
    mayAdd: true,
  };
}

function touchedText({ touched, looked }: ConsideredRule): string {
  if (touched.length === 0)
    return `Of ${looked} recordings of this provider it touches the nearest one alone.`;
  const more = touched.length > NAMED ? [`and ${touched.length - NAMED} more`] : [];
  const one = touched.length === 1;
  return [
    `It touches ${touched.length} other ${one ? "recording" : "recordings"} as well, each still apart from every other:`,
    ...touched.slice(0, NAMED),
    ...more,
  ].join("\n");
}
