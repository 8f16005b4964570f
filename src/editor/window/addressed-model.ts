/** Says which folder's session a command is for, as the last of its arguments. */
interface ForFolder {
  readonly forFolder: string;
}

/**
 * Arguments for a command of one folder's session. `tag` names the folder; undefined where a window has one folder,
 * and the arguments stay as they are. Plain, because they go through links and lenses.
 */
export function addressArguments(args: readonly unknown[], tag: string | undefined): unknown[] {
  return tag === undefined ? [...args] : [...args, { forFolder: tag } satisfies ForFolder];
}

/** As {@link addressArguments}; commands of the editor itself are given their arguments alone. */
export function argumentsFor(command: string, args: readonly unknown[], tag: string | undefined): unknown[] {
  return command.startsWith("tapedeck.") ? addressArguments(args, tag) : [...args];
}

export function isForFolder(value: unknown): value is ForFolder {
  return (
    typeof value === "object" && value !== null && "forFolder" in value && typeof value.forFolder === "string"
  );
}
