import { CONFIG_NAME } from "./core/config/config.ts";
import { explain } from "./core/errors.ts";
import type { Disposable } from "./core/exchange.ts";
import { projectFileOf, type Project, type ProjectFile } from "./storage/project-file.ts";

/** A project as a deck goes by it: its file, and what the deck's caller said. */
export interface DeckProject extends Pick<ProjectFile, "path" | "current" | "refresh" | "reload"> {
  /** Whether repeats get their own takes, by options and file. */
  readonly repeats: "takes" | "same";
  /** Tells of what counts from now on, also where it is the first reading. */
  onChange(listener: (project: Project) => void): Disposable;
}

/** What of a deck's options is about its project. */
interface ProjectOptions {
  readonly dir: string;
  readonly repeats?: "takes" | "same";
  readonly project?: boolean;
}

/** What a person should hear of a project's file. */
interface ProjectNotice {
  readonly level: "info" | "warning";
  readonly message: string;
}

/** What the caller says counts more than what the file says. */
export function openProject(
  { dir, repeats, project: isWanted = true }: ProjectOptions,
  notify: (notice: ProjectNotice) => void,
): DeckProject {
  const listeners = new Set<(project: Project) => void>();
  const file = projectFileOf(dir, {
    onChange(project) {
      notify(
        project.problem
          ? { level: "warning", message: explain(project.problem) }
          : { level: "info", message: `${CONFIG_NAME} was read; rules: ${project.config.normalise.length}` },
      );
      for (const listener of listeners) listener(project);
    },
  });
  return {
    path: file.path,
    get current() {
      return file.current;
    },
    get repeats() {
      return repeats ?? file.current.config.repeats ?? "takes";
    },
    refresh: () => (isWanted ? file.refresh() : undefined),
    reload: async () => (isWanted ? file.reload() : undefined),
    onChange(listener) {
      listeners.add(listener);
      return { dispose: () => listeners.delete(listener) };
    },
  };
}
