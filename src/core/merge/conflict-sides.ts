/** The two texts that a merge could not make one. */
export interface ConflictSides {
  readonly ours: string;
  readonly theirs: string;
}

const MARK = /^(<{7}|\|{7}|={7}|>{7})(?: .*)?\r?$/;

/** Both sides of a text with git's marks of conflicts in it, also in the style that shows the base; undefined where none are. */
export function conflictSides(text: string): ConflictSides | undefined {
  const sides = { ours: [] as string[], theirs: [] as string[] };
  let within: "both" | "ours" | "base" | "theirs" = "both";
  let conflicts = 0;
  for (const line of text.split("\n")) {
    const mark = MARK.exec(line)?.[1]?.charAt(0);
    if (within === "both" && mark === "<") {
      within = "ours";
      conflicts += 1;
    } else if (within === "ours" && mark === "|") within = "base";
    else if ((within === "ours" || within === "base") && mark === "=") within = "theirs";
    else if (within === "theirs" && mark === ">") within = "both";
    else {
      if (within === "both" || within === "ours") sides.ours.push(line);
      if (within === "both" || within === "theirs") sides.theirs.push(line);
    }
  }
  if (conflicts === 0 || within !== "both") return undefined;
  return { ours: sides.ours.join("\n"), theirs: sides.theirs.join("\n") };
}
