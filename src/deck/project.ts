import { dirname } from "node:path";
import process from "node:process";
import { isCi } from "../core/budget/limits.ts";
import { CONFIG_NAME, type LenientAnswer, type RecordRules } from "../core/config/config.ts";
import type { EngineParts } from "../core/engine.ts";
import { explain, wrongArgument } from "../core/errors.ts";
import { createListeners } from "../core/listeners.ts";
import { fieldsOf } from "../core/protocol/reading/lenient.ts";
import type { Disposable } from "../core/call.ts";
import type { Secrets } from "../core/secrets/guard.ts";
import type { ContextLimits, PlannedFault, ScriptedReply } from "../core/config/mocks.ts";
import { noteSecretsOfFiles } from "../storage/local/own-scanner.ts";
import { projectSecrets, type RedactsAside } from "../storage/local/project-secrets.ts";
import { projectFileOf, type Project, type ProjectFile } from "../storage/local/project-file.ts";

/** A project as a deck goes by it: its file, and what the deck's caller said. */
export interface DeckProject extends Pick<ProjectFile, "path" | "current" | "refresh" | "reload"> {
  /** Whether repeats get their own takes, by options and file. */
  readonly repeats: "takes" | "same";
  /** What lenient mode answers where nothing is recorded, by options and file. */
  readonly lenient: LenientAnswer;
  /** What goes wrong on purpose, by options and file; the same list for as long as it is the same. */
  readonly faults: readonly PlannedFault[];
  /** How much of a model's context calls may take, by options and file; the same object for as long as it is the same. */
  readonly context: ContextLimits | undefined;
  /** What of answers is recorded, by options and file. */
  readonly record: RecordRules;
  /** What is done about secrets in what is to be recorded. */
  readonly secrets: Secrets;
  /** Tells of what counts from now on, also where it is the first reading. */
  onChange(listener: (project: Project) => void): Disposable;
}

/** What of a deck's options is about its project. */
interface ProjectOptions {
  readonly dir: string;
  readonly repeats?: "takes" | "same";
  readonly project?: boolean | (() => boolean);
  readonly script?: readonly ScriptedReply[];
  readonly defaultReply?: string;
  readonly faults?: readonly PlannedFault[];
  readonly context?: ContextLimits;
  readonly recordErrors?: boolean;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** What a person should hear of a project's file. */
interface ProjectNotice {
  readonly level: "info" | "warning";
  readonly message: string;
}

/** @throws TapedeckError `tapedeck_usage` for options without a folder */
export function expectFolder(options: object): void {
  const { dir } = fieldsOf(options);
  if (typeof dir !== "string") throw wrongArgument("options.dir", "the cassette folder's path", dir);
}

/** What the caller says counts more than what the file says. */
export function openProject(
  options: ProjectOptions,
  notify: (notice: ProjectNotice) => void,
  redactAside?: RedactsAside,
): DeckProject {
  const { dir, repeats, project: wanted = true, env = process.env } = options;
  const isWanted = typeof wanted === "function" ? wanted : () => wanted;
  const listeners = createListeners<Project>();
  const file = projectFileOf(dir, {
    onChange(project) {
      notify(
        project.problem
          ? { level: "warning", message: explain(project.problem) }
          : { level: "info", message: `${CONFIG_NAME} was read; rules: ${project.config.normalise.length}` },
      );
      listeners.notify(project);
    },
  });
  const lenient = lenientAnswer(options);
  noteSecretsOfFiles(dirname(dir));
  return {
    path: file.path,
    secrets: projectSecrets(file, { byDefault: isCi(env) ? "fail" : "drop", redactAside }),
    get current() {
      return file.current;
    },
    get repeats() {
      return repeats ?? file.current.config.repeats ?? "takes";
    },
    get record() {
      const { record = {} } = file.current.config;
      return options.recordErrors === undefined ? record : { ...record, errors: options.recordErrors };
    },
    get lenient() {
      return lenient ?? file.current.config.lenient ?? BY_DEFAULT;
    },
    get faults() {
      return options.faults ?? file.current.config.faults ?? NO_FAULTS;
    },
    get context() {
      return options.context ?? file.current.config.context;
    },
    refresh: () => (isWanted() ? file.refresh() : undefined),
    reload: async () => (isWanted() ? file.reload() : undefined),
    onChange: (listener) => listeners.add(listener),
  };
}

/** What a project says, asked whenever it counts. */
export function saidBy(project: DeckProject): Pick<EngineParts, "prepare" | "repeats" | "record"> {
  return { prepare: () => project.refresh(), repeats: () => project.repeats, record: () => project.record };
}

const NO_FAULTS: readonly PlannedFault[] = [];

const BY_DEFAULT: LenientAnswer = {
  reply: "This is Tapedeck's default reply: nothing is recorded for this call.",
};

function lenientAnswer({ script, defaultReply }: ProjectOptions): LenientAnswer | undefined {
  if (script !== undefined) return { script };
  return defaultReply === undefined ? undefined : { reply: defaultReply };
}
