import {
  entriesOf,
  missingOf,
  oneTarget,
  pickMissing,
  targetsOf,
  withoutUnfocused,
} from "./command-targets.ts";
import { pickRecording } from "./pick-recording.ts";
import { showCall, showFile, showTest, testsOf } from "../documents/show-call.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import { sayInformation } from "../window/messages.ts";
import type { ViewDeps } from "./view-deps.ts";

/** Commands that show a call, its file, or its test. */
export function openCommands(deps: ViewDeps) {
  return {
    [COMMANDS.openCall]: async (...args) => {
      const placeholder = "Words of a prompt, a reply, a model or a test";
      const given = withoutUnfocused(args);
      const [target] = given.length > 0 ? targetsOf(given, deps) : [];
      const entry = target === undefined ? await pickRecording(deps, { placeholder }) : undefined;
      const shown = target ?? (entry === undefined ? undefined : { entry });
      if (shown) await showCall(shown, deps);
    },
    [COMMANDS.openFile]: async (...args) => {
      for (const entry of await entriesOf(args, deps, "Open the file of a recording")) {
        await deps.index.ensure([entry]);
        const facts = deps.index.facts(entry);
        await showFile(entry, deps, facts?.kind === "broken" ? facts : undefined);
      }
    },
    [COMMANDS.goToTest]: async (...args) => {
      const [target] = await oneTarget(args, deps, "Go to the test of a recording");
      if (target === undefined) return;
      if ("entry" in target) await deps.index.ensure([target.entry]);
      const tests = testsOf(target, deps);
      if (tests.length > 0) await showTest(tests, deps);
      else void sayInformation("No test is known to make this call.");
    },
    [COMMANDS.goToMissing]: async (...args) => {
      const calls = await missingOf(withoutUnfocused(args), deps, "Go to a missing call");
      const call = calls.length > 1 ? await pickMissing(calls, "Go to a missing call") : calls[0];
      if (call === undefined) return;
      await showCall({ finding: call.id }, deps);
      if (deps.view.visible) await deps.view.reveal({ finding: call.id });
    },
  } satisfies Partial<CommandTable>;
}
