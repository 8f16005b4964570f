import { type CallEvent, canLeaveMachine, type Mode, type Run } from "../../core/call/call.ts";
import { applyChanges, withoutPlaceholders, type VariableChange } from "../environment/environment-model.ts";
import type { RunOptions } from "./session-run.ts";

/** The runs of their own under way, each with its calls. */
interface OwnRuns {
  readonly size: number;
  /** Gives the list to which the run's calls are added. */
  begin(run: Run, overrides: RunOptions["overrides"]): readonly CallEvent[];
  /** False where it had ended already. */
  end(run: Run): boolean;
  /** Gives a call to its run. The event says in which mode it was answered, which for a single call may be another one. */
  noted(event: CallEvent): CallEvent;
}

interface OwnRun {
  readonly events: CallEvent[];
  readonly overrides: RunOptions["overrides"];
}

export function createOwnRuns(): OwnRuns {
  const runs = new Map<string, OwnRun>();
  return {
    get size() {
      return runs.size;
    },
    begin(run, overrides) {
      const own: OwnRun = { events: [], overrides };
      runs.set(run.id, own);
      return own.events;
    },
    end: (run) => runs.delete(run.id),
    noted(event) {
      const own = runs.get(event.run);
      if (!own) return event;
      const mode = event.key === null ? undefined : own.overrides?.get(event.key);
      const noted = mode === undefined ? event : { ...event, mode };
      own.events.push(noted);
      return noted;
    },
  };
}

/** Set by VS Code for its own processes; in a child they make Electron and git ask the wrong program. */
const OF_THE_HOST = /^(?:VSCODE_|ELECTRON_)/u;

/** The whole environment of a run's process. Where it may call providers, no placeholder stands in for a key. */
export function runEnvironment(
  options: Pick<RunOptions, "mode" | "overrides">,
  changes: readonly VariableChange[],
  own: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const modes: readonly Mode[] = [options.mode, ...(options.overrides?.values() ?? [])];
  const fitting = modes.some(canLeaveMachine) ? withoutPlaceholders(changes) : changes;
  const inherited = Object.entries(own).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !OF_THE_HOST.test(entry[0]),
  );
  return { ...Object.fromEntries(inherited), ...applyChanges(fitting, own) };
}

/** What a run is called where its end is told. */
export function runName({ test }: Pick<Run, "test">): string {
  if (test === undefined) return "The run";
  return test.name.length === 0 ? test.file : test.name.join(" › ");
}
