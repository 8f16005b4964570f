import * as path from "node:path";
import * as vscode from "vscode";
import { memberIn, withMember } from "../../core/config/edit-config.ts";
import { wrongUsage } from "../../core/base/errors.ts";
import { editProject, projectText } from "./edit-project.ts";
import type { Session } from "../session/session.ts";
import { flashStatus } from "../window/messages.ts";
import { askText, pickMany, pickOne } from "../window/picks.ts";
import { OFFERED_FAULTS } from "./faults-model.ts";
import {
  lenientChoices,
  NEW_SCRIPT,
  NEW_SCRIPT_NAME,
  plannedNow,
  type LenientChoice,
  type LenientNow,
} from "./lenient-model.ts";
import { SCRIPT_FILES } from "../window/ids.ts";

/**
 * Lets a person choose what lenient mode answers with, and what goes wrong on purpose. It is written into
 * `tapedeck.jsonc`, where runs on the command line and fixtures find it, too. False where they gave up.
 */
export async function chooseMock(session: Session): Promise<boolean> {
  const text = await projectText(session);
  const now: LenientNow = {
    lenient: memberIn(text, "lenient"),
    faults: memberIn(text, "faults"),
  };
  const picked = await pickOne(lenientChoices(now), {
    title: "Tapedeck: what lenient mode answers where nothing is recorded",
    placeholder: "Nothing of it is recorded, and nothing leaves this machine",
    matchOnDetail: true,
  });
  if (picked === undefined) return false;
  if (picked.chosen === "as it is") return true;
  if (picked.chosen === "faults") return chooseFaults(session, now.faults);
  const chosen = await chosenOf(picked.chosen, session);
  if (chosen === undefined) return false;
  await editProject(session, (before) => withMember(before, "lenient", chosen.lenient), { isShown: false });
  flashStatus("beaker", `Lenient mode answers with ${chosen.what}, as tapedeck.jsonc says`, 5_000);
  return true;
}

interface Chosen {
  /** The member of the file; undefined for none. */
  readonly lenient: object | undefined;
  readonly what: string;
}

type AskedChoice = Exclude<LenientChoice["chosen"], "as it is" | "faults">;

async function chosenOf(chosen: AskedChoice, session: Session): Promise<Chosen | undefined> {
  if (chosen === "default") return { lenient: undefined, what: "the default reply" };
  if (chosen === "echo") return { lenient: { mock: "echo" }, what: "an echo" };
  if (chosen === "kosong") return { lenient: { mock: "kosong" }, what: "kosong's echo" };
  if (chosen === "text") {
    const reply = await askText({ title: "Tapedeck: lenient mode", prompt: "What does every call get?" });
    return reply === undefined ? undefined : { lenient: { reply }, what: "your text" };
  }
  const script = await pickScript(session);
  return script === undefined ? undefined : { lenient: { script }, what: `the script ${script}` };
}

/** The path of a script relative to the project's folder; undefined where the person gave up. */
async function pickScript(session: Session): Promise<string | undefined> {
  const root = path.dirname(session.deck.project.path);
  const found = await vscode.workspace.findFiles(
    new vscode.RelativePattern(vscode.Uri.file(root), SCRIPT_FILES),
    "**/{node_modules,.git}/**",
    50,
  );
  const items = [
    ...found.map(({ fsPath }) => inProject(root, fsPath)).toSorted(),
    ...(found.some(({ fsPath }) => inProject(root, fsPath) === NEW_SCRIPT_NAME) ? [] : ["new"]),
    "another",
  ].map((file) => ({ file, ...scriptItem(file) }));
  const picked = await pickOne(items, {
    title: "Tapedeck: the script of lenient mode",
    placeholder: "Which file has the replies?",
  });
  if (picked === undefined) return undefined;
  const uri = picked.file === "another" ? await openOther(session) : fileAt(root, picked.file);
  if (uri === undefined) return undefined;
  if (picked.file === "new") await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(NEW_SCRIPT));
  await vscode.window.showTextDocument(uri, { preview: false });
  return inProject(root, uri.fsPath);
}

function scriptItem(file: string): {
  readonly icon: string;
  readonly label: string;
  readonly detail?: string;
} {
  if (file === "new")
    return {
      icon: "new-file",
      label: "A new script",
      detail: `${NEW_SCRIPT_NAME}, with examples to be changed`,
    };
  if (file === "another") return { icon: "folder-opened", label: "Another file…" };
  return { icon: "list-ordered", label: file };
}

function fileAt(root: string, file: string): vscode.Uri {
  return vscode.Uri.file(path.join(root, file === "new" ? NEW_SCRIPT_NAME : file));
}

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

async function chooseFaults(session: Session, faults: unknown): Promise<boolean> {
  const { offered, others } = plannedNow(faults);
  if (typeof faults === "string") {
    const uri = vscode.Uri.file(path.join(path.dirname(session.deck.project.path), faults));
    await vscode.window.showTextDocument(uri, { preview: false });
    return true;
  }
  const items = OFFERED_FAULTS.map((fault) => ({
    icon: fault.icon,
    label: fault.text,
    detail: fault.detail,
    picked: offered.has(fault.name),
    fault,
  }));
  const picked = await pickMany(items, {
    title: "Tapedeck: what goes wrong on purpose in each run of the tests",
    placeholder: "None of them: nothing goes wrong",
  });
  if (picked === undefined) return false;
  const plan = [...others, ...picked.flatMap(({ fault }) => fault.faults)];
  const planned = plan.length === 0 ? undefined : plan;
  await editProject(session, (before) => withMember(before, "faults", planned), { isShown: false });
  const what = plan.length === 0 ? "Nothing goes wrong on purpose" : "Faults are planned";
  flashStatus("zap", `${what}, as tapedeck.jsonc says`, 5_000);
  return true;
}
