import * as vscode from "vscode";
import { writeFacet } from "../calls/call-filter-model.ts";
import { COMMANDS, type CommandTable, addTagToArguments } from "../window/ids.ts";
import type { CodeDeps } from "./test-files.ts";
import { findTestPlace } from "./test-place.ts";
import { isAddress, readTestTarget } from "./test-target-model.ts";
import type { TimelineTarget } from "../calls/call-node-model.ts";
import { readTimeline } from "../documents/document-uri-model.ts";
import { createDocumentUri } from "../documents/uris.ts";

/** A command that shows all calls of a test in the Calls view. */
export function createShowCallsCommands(deps: CodeDeps) {
  return {
    [COMMANDS.showCalls]: async (...args) => {
      const { file, test } = await findTestPlace(readTestTarget(args[0]), deps);
      const filter = writeFacet("test", test?.path.at(-1) ?? file);
      return vscode.commands.executeCommand(
        COMMANDS.filterCalls,
        ...addTagToArguments([filter], deps.session.tag),
      );
    },
  } satisfies Partial<CommandTable>;
}

/** A command that shows the timeline of a run or of a test. */
export function createTimelineCommands(deps: CodeDeps) {
  const show = (timeline: TimelineTarget["timeline"]): Promise<void> => openDocument({ timeline }, deps);
  return {
    [COMMANDS.showTimeline]: async (...args) => {
      const [given] = args;
      if (typeof given === "string") return show({ run: given, which: "run" });
      const known = readTimeline(given);
      if (known) return show(known.timeline);
      const from = readTestTarget(given);
      // The menu of a source file passes its address and refers to the test at the cursor.
      if (from.from === "cursor" && !isAddress(given)) return show({ which: "run" });
      // A test in the tree may no longer be in its file, but its calls are known.
      if (from.from === "call") {
        const { file, name } = from.target.test;
        return show({ test: { file, name }, which: "run" });
      }
      const { file, test } = await findTestPlace(from, deps);
      return show({ test: { file, name: test?.path ?? [] }, which: "run" });
    },
  } satisfies Partial<CommandTable>;
}

async function openDocument(of: TimelineTarget, { session }: CodeDeps): Promise<void> {
  const uri = createDocumentUri(session, { of, part: "all" });
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
}
