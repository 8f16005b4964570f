import type { RunTest } from "../../core/view/run-record/run-record.ts";
import type { CodeDeps } from "../test-code/test-files.ts";
import { onOneLine, placeOf, placeTitle } from "../test-code/test-place.ts";
import { isAddress, testTargetsFrom } from "../test-code/test-target-model.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import { sayInformation } from "../window/messages.ts";
import { pickOne } from "../window/picks.ts";
import type { Pages } from "./timeline-panel.ts";
import { type TimelineSubject, choiceOf } from "./timeline-panel-model.ts";

/** From a test, a run or nothing to the picture of what was called. */
export function timelineCommands(deps: CodeDeps, timelines: Pages) {
  const { session } = deps;
  const show = (subject: TimelineSubject, title: string): void =>
    timelines.open({ ...(session.tag !== undefined && { folder: session.tag }), ...subject }, title);
  return {
    [COMMANDS.showTimeline]: async (...args) => {
      const [given] = args;
      if (typeof given === "string") return show({ run: given }, "Timeline");
      const [from = { from: "cursor" }] = testTargetsFrom(args);
      // The menu of a source file gives its address, and means the test at the cursor.
      if (from.from === "cursor" && !isAddress(given)) return show({}, "Timeline");
      // A test of the tree may be gone from its file: what it called is known all the same.
      if (from.from === "call") {
        const { file, name } = from.target.test;
        return show({ test: { file, name } }, `Timeline: ${onOneLine(name.at(-1) ?? file)}`);
      }
      const place = await placeOf(from, deps);
      const test: RunTest = { file: place.file, name: place.test?.path ?? [] };
      show({ test }, `Timeline: ${placeTitle(place)}`);
    },
    [COMMANDS.compareRuns]: async () => {
      const runs = (await session.recordings.runLog.list()).map(choiceOf);
      if (runs.length < 2) {
        void sayInformation("Two runs are needed to compare them; run the tests again.");
        return;
      }
      const items = runs.map(({ id, title }) => ({ label: title, id }));
      const first = await pickOne(items, { placeholder: "The first run, as it was" });
      const others = items.filter(({ id }) => id !== first?.id);
      const second = first && (await pickOne(others, { placeholder: "The run beside it" }));
      if (first && second) show({ run: first.id, second: second.id }, "Timeline of two runs");
    },
  } satisfies Partial<CommandTable>;
}
