import { localize } from "../../core/base/localize.ts";
import * as path from "node:path";
import * as vscode from "vscode";
import { readConfigMember, withMember } from "../../core/config/edit-config.ts";
import { createWrongUsage } from "../../core/base/errors.ts";
import { editProject, readProjectText } from "./edit-project.ts";
import type { Session } from "../session/session.ts";
import { flashStatus } from "../window/messages.ts";
import { askText, pickOne } from "../window/picks.ts";
import {
  type LenientChoice,
  NEW_SCRIPT,
  NEW_SCRIPT_NAME,
  listLenientChoices,
  describeLenient,
} from "./lenient-model.ts";
import { COMMANDS, type CommandTable, SCRIPT_FILES } from "../window/ids.ts";

/**
 * Lets a person select the replies of lenient mode, and writes the choice to `tapedeck.jsonc`, which command line runs
 * and fixtures read, too. False if they cancel.
 */
export async function chooseMock(session: Session): Promise<boolean> {
  const now = readConfigMember(await readProjectText(session), "lenient");
  const picked = await pickOne(listLenientChoices(now), {
    title: localize("Tapedeck: Replies of Lenient Mode"),
    placeholder: localize("Select the reply to calls that are not recorded. Nothing leaves this machine"),
    matchOnDetail: true,
  });
  if (picked === undefined) return false;
  if (picked.lenient === "keep") return true;
  const lenient = await askFor(picked.lenient, session);
  if (lenient === "none") return false;
  await editProject(session, (before) => withMember(before, "lenient", lenient), { isShown: false });
  const done = localize("Lenient mode answers with {0}, as set in tapedeck.jsonc", describeLenient(lenient));
  flashStatus("beaker", done, 5_000);
  return true;
}

/** Asks for the text or the script of a choice. "none": the person canceled. */
async function askFor(
  chosen: Exclude<LenientChoice["lenient"], "keep">,
  session: Session,
): Promise<object | undefined | "none"> {
  if (chosen === "text") {
    const reply = await askText({
      title: localize("Tapedeck: Replies of Lenient Mode"),
      prompt: localize("Enter the reply to every call"),
    });
    return reply === undefined ? "none" : { reply };
  }
  if (chosen !== "script") return chosen;
  const script = await pickScript(session);
  return script === undefined ? "none" : { script };
}

/** Returns the path of a script relative to the project's folder; undefined if the person cancels. */
async function pickScript(session: Session): Promise<string | undefined> {
  const root = path.dirname(session.deck.project.path);
  const found = await vscode.workspace.findFiles(
    new vscode.RelativePattern(vscode.Uri.file(root), SCRIPT_FILES),
    "**/{node_modules,.git}/**",
    50,
  );
  const scripts = found.map(({ fsPath }) => inProject(root, fsPath)).toSorted();
  const items = [
    ...scripts.map((file) => ({ icon: "list-ordered", label: file, file })),
    ...(scripts.includes(NEW_SCRIPT_NAME) ? [] : [{ ...NEW_ITEM, file: NEW_SCRIPT_NAME }]),
    { icon: "folder-opened", label: localize("Other File…"), file: "" },
  ];
  const picked = await pickOne(items, {
    title: localize("Tapedeck: Script of Lenient Mode"),
    placeholder: localize("Select the file with the replies"),
  });
  if (picked === undefined) return undefined;
  const uri = picked.file === "" ? await openOther(session) : vscode.Uri.file(path.join(root, picked.file));
  if (uri === undefined) return undefined;
  if ("detail" in picked) await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(NEW_SCRIPT));
  await vscode.window.showTextDocument(uri, { preview: false });
  return inProject(root, uri.fsPath);
}

const NEW_ITEM = {
  icon: "new-file",
  label: localize("New Script"),
  detail: localize("Create {0} with examples", NEW_SCRIPT_NAME),
};

async function openOther({ folder }: Session): Promise<vscode.Uri | undefined> {
  const picked = await vscode.window.showOpenDialog({
    title: localize("Tapedeck: Script of Lenient Mode"),
    openLabel: localize("Use Script"),
    defaultUri: folder.uri,
    filters: { [localize("Scripts")]: ["json", "jsonl"] },
  });
  return picked?.[0];
}

function inProject(root: string, file: string): string {
  const inside = path.relative(root, file).split(path.sep).join("/");
  if (inside.startsWith("..") || path.isAbsolute(inside))
    throw createWrongUsage(
      localize("{0} is not in the project.", file),
      localize("Move the script into the project's folder."),
    );
  return inside;
}

/** The command on mocks. */
export function createMockCommands(session: Session) {
  return {
    [COMMANDS.chooseMock]: () => chooseMock(session),
  } satisfies Partial<CommandTable>;
}
