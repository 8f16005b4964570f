import type * as vscode from "vscode";
import { explain } from "../../core/base/errors.ts";
import {
  ASKED_GIT_SETUP,
  ATTRIBUTES,
  addAttributes,
  hasAttributes,
  isInRepository,
} from "../../storage/git-attributes.ts";
import { readLocal, writeLocal } from "../../storage/local/local-state.ts";
import { flashStatus, sayError, sayInformation } from "../window/messages.ts";
import type { ViewFolder } from "../calls-tree/calls-model.ts";
import type { Sessions } from "../session/folder-session.ts";

const SET_UP = "Write .gitattributes";
const NO = "No";

/**
 * Asks once in a clone, after the first call that was recorded in a repository, whether git is to be told what
 * recordings are. A merge driver names a program for good, which an extension is not: that is `tapedeck git setup`'s.
 */
export function offerGitSetup(sessions: Sessions<ViewFolder>): vscode.Disposable {
  const asked = new Set<string>();
  return sessions.forEach(({ session }) =>
    session.recordings.onDidCall(({ outcome }) => {
      if (outcome !== "recorded") return;
      const { dir } = session.deck;
      if (asked.has(dir)) return;
      asked.add(dir);
      offer(dir).catch((error: unknown) => sayError(`Git was not set up: ${explain(error)}`));
    }),
  );
}

async function offer(dir: string): Promise<void> {
  if (!isInRepository(dir) || (await hasAttributes(dir))) return;
  if ((await readLocal(dir, ASKED_GIT_SETUP)) !== undefined) return;
  const answer = await sayInformation(
    "Git can fold recordings in reviews, and keep each of them whole when branches are merged.",
    SET_UP,
    NO,
  );
  if (answer !== SET_UP) return writeLocal(dir, ASKED_GIT_SETUP, true);
  await addAttributes(dir);
  flashStatus("check", `Wrote ${ATTRIBUTES} beside the recordings: commit it`, 8_000);
}
