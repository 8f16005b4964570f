import * as path from "node:path";
import * as vscode from "vscode";
import { memberIn, withMember } from "../../core/config/edit-config.ts";
import { wrongUsage } from "../../core/base/errors.ts";
import { editProject, projectText } from "./edit-project.ts";
import type { Session } from "../session/session.ts";
import { flashStatus } from "../window/messages.ts";
import { askText, pickOne } from "../window/picks.ts";
import {
  type LenientChoice,
  NEW_SCRIPT,
  NEW_SCRIPT_NAME,
  lenientChoices,
  lenientNow,
} from "./lenient-model.ts";
import { COMMANDS, type CommandTable, SCRIPT_FILES } from "../window/ids.ts";
import { showPreview } from "./script-pages.ts";

/**
 * Lets a person choose what lenient mode answers with, and writes it into `tapedeck.jsonc`, where command line runs and
 * fixtures find it too. False if they gave up.
 */
export async function chooseMock(session: Session): Promise<boolean> {
  const now = memberIn(await projectText(session), "lenient");
  const picked = await pickOne(lenientChoices(now), {
    title: "Tapedeck: what lenient mode answers where nothing is recorded",
    placeholder: "Nothing of it is recorded, and nothing leaves this machine",
    matchOnDetail: true,
  });
  if (picked === undefined) return false;
  if (picked.lenient === "keep") return true;
  const lenient = await askFor(picked.lenient, session);
  if (lenient === "none") return false;
  await editProject(session, (before) => withMember(before, "lenient", lenient), { isShown: false });
  flashStatus("beaker", `Lenient mode answers with ${lenientNow(lenient)}, as set in tapedeck.jsonc`, 5_000);
  return true;
}

/** Asks for what a choice needs. "none": the person gave up. */
async function askFor(
  chosen: Exclude<LenientChoice["lenient"], "keep">,
  session: Session,
): Promise<object | undefined | "none"> {
  if (chosen === "text") {
    const reply = await askText({ title: "Tapedeck: lenient mode", prompt: "What does every call get?" });
    return reply === undefined ? "none" : { reply };
  }
  if (chosen !== "script") return chosen;
  const script = await pickScript(session);
  return script === undefined ? "none" : { script };
}

/** The path of a script relative to the project's folder; undefined where the person gave up. */
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
    { icon: "folder-opened", label: "Another file…", file: "" },
  ];
  const picked = await pickOne(items, {
    title: "Tapedeck: the script of lenient mode",
    placeholder: "Which file has the replies?",
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
  label: "A new script",
  detail: `${NEW_SCRIPT_NAME}, with examples to be changed`,
};

async function openOther({ folder }: Session): Promise<vscode.Uri | undefined> {
  const picked = await vscode.window.showOpenDialog({
    title: "Tapedeck: a script of replies",
    openLabel: "Use",
    defaultUri: folder.uri,
    filters: { Scripts: ["json", "jsonl"] },
  });
  return picked?.[0];
}

function inProject(root: string, file: string): string {
  const inside = path.relative(root, file).split(path.sep).join("/");
  if (inside.startsWith("..") || path.isAbsolute(inside))
    throw wrongUsage(`${file} does not lie in the project.`, "Put the script into the project's folder.");
  return inside;
}

/** Commands on what is made up and what goes wrong on purpose. */
export function mockCommands(session: Session) {
  return {
    [COMMANDS.chooseMock]: () => chooseMock(session),
    [COMMANDS.previewScript]: (script) => showPreview(script),
  } satisfies Partial<CommandTable>;
}
