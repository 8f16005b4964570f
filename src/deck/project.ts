import { localize } from "../core/base/localize.ts";
import { dirname, join } from "node:path";
import { isCi } from "../core/answer/budget/limits.ts";
import { CONFIG_NAME } from "../core/config/config.ts";
import { explain, createWrongArgument } from "../core/base/errors.ts";
import { createListeners } from "../core/call/listeners.ts";
import { getMember, isJsonArray } from "../core/base/json/json-tree.ts";
import { parseJsonc } from "../core/base/json/json-parse.ts";
import { isText, readFields } from "../core/base/lenient.ts";
import type { Disposable } from "../core/call/call.ts";
import { isHostName } from "../core/protocol/model-call.ts";
import type { Secrets } from "../core/secrets/guard.ts";
import { readBytesNow } from "../storage/folder/read-file.ts";
import { noteSecretsOfFiles } from "../storage/local/own-scanner.ts";
import {
  createProjectFile,
  type Project,
  type ProjectFile,
  type ProjectOverrides,
} from "../storage/local/project-file.ts";
import { createProjectSecrets } from "../storage/local/project-secrets.ts";
import { matchByOrigin } from "./origin-search.ts";
import type { DeckOptions } from "./deck-options.ts";

/** A project's settings: its file, with the overrides of the deck's options. */
export interface DeckProject extends ProjectFile {
  readonly forEngine: ProjectFile["forEngine"] & ReturnType<typeof matchByOrigin>;
  /** How secrets in new recordings are handled. */
  readonly secrets: Secrets;
  /** Notifies of each change of the settings, including the first time they are read. */
  onChange(listener: (project: Project) => void): Disposable;
}

type ProjectOptions = ProjectOverrides & Pick<DeckOptions, "dir" | "env">;

/** A message for the user about the project's file. */
interface ProjectNotice {
  readonly level: "info" | "warning";
  readonly message: string;
}

/** @throws TapedeckError `tapedeck_usage` for options without a folder */
export function expectFolder(options: object): void {
  const { dir } = readFields(options);
  if (typeof dir !== "string")
    throw createWrongArgument("options.dir", localize("the cassette folder's path"), dir);
}

export function openProject(options: ProjectOptions, notify: (notice: ProjectNotice) => void): DeckProject {
  const { dir, env = process.env } = options;
  const listeners = createListeners<Project>();
  const onChange = (project: Project): void => {
    secrets.changed();
    notify(
      project.problem
        ? { level: "warning", message: explain(project.problem) }
        : {
            level: "info",
            message: localize("{0} was read; rules: {1}", CONFIG_NAME, project.config.normalize.length),
          },
    );
    listeners.notify(project);
  };
  const file = createProjectFile(dir, { onChange }, options);
  const secrets = createProjectSecrets(file, { byDefault: isCi(env) ? "fail" : "drop" });
  noteSecretsOfFiles(dirname(dir));
  return Object.assign(file, {
    secrets,
    forEngine: { ...file.forEngine, ...matchByOrigin(dirname(dir), () => file.origins) },
    onChange: (listener: (project: Project) => void) => listeners.add(listener),
  });
}

/** Returns the hosts that the project of a folder records. A file that cannot be read is reported when it is needed. */
export function readRecordedHosts(dir: string): readonly string[] {
  try {
    const text = readBytesNow(join(dirname(dir), CONFIG_NAME)).toString("utf8");
    const hosts = text.includes('"hosts"')
      ? getMember(getMember(parseJsonc(text), "record"), "hosts")
      : undefined;
    return hosts !== undefined && isJsonArray(hosts)
      ? hosts
          .filter(isText)
          .map((host) => host.toLowerCase())
          .filter(isHostName)
      : [];
  } catch {
    return [];
  }
}
