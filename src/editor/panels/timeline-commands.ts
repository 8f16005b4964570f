import { localize } from "../../core/base/localize.ts";
import type { RunTest } from "../../core/view/run-record/run-record.ts";
import type { CodeDeps } from "../test-code/test-files.ts";
import { shortenToOneLine, findTestPlace, formatPlace } from "../test-code/test-place.ts";
import { isAddress, readTestTargets } from "../test-code/test-target-model.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import type { Timelines } from "./register-timelines.ts";
import type { TimelineSubject } from "./timeline-panel-model.ts";

/** Commands that show the timeline of a test or a run. */
export function createTimelineCommands(deps: CodeDeps, timelines: Timelines) {
  const { session } = deps;
  const show = (subject: TimelineSubject, title: string): Promise<void> =>
    timelines.open({ ...(session.tag !== undefined && { folder: session.tag }), ...subject }, title);
  return {
    [COMMANDS.showTimeline]: async (...args) => {
      const [given] = args;
      if (typeof given === "string") return show({ run: given }, localize("Timeline"));
      const [from = { from: "cursor" }] = readTestTargets(args);
      // The menu of a source file passes its address and refers to the test at the cursor.
      if (from.from === "cursor" && !isAddress(given)) return show({}, localize("Timeline"));
      // A test in the tree may no longer be in its file, but its calls are known.
      if (from.from === "call") {
        const { file, name } = from.target.test;
        return show(
          { test: { file, name } },
          localize("Timeline: {0}", shortenToOneLine(name.at(-1) ?? file)),
        );
      }
      const place = await findTestPlace(from, deps);
      const test: RunTest = { file: place.file, name: place.test?.path ?? [] };
      return show({ test }, localize("Timeline: {0}", formatPlace(place)));
    },
  } satisfies Partial<CommandTable>;
}
