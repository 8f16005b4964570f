import { localize } from "../../base/localize.ts";
import { parse, type ParseError } from "jsonc-parser";
import type { RecordingAddress } from "../recording.ts";

/** The texts of one file on two branches, and before both; undefined where it was not there. */
export interface Versions {
  readonly base: string | undefined;
  readonly ours: string | undefined;
  readonly theirs: string | undefined;
}

/** The side to keep, or why a person has to decide, as the end of a sentence. */
export type Choice = { readonly side: "ours" | "theirs" } | { readonly undecided: string };

/**
 * Chooses between two recordings of a call, with the same result on both branches: a complete one over a broken one, the
 * earlier of equal replies, and the later of different ones. A person decides about edits by hand.
 */
export function chooseRecording({ base, ours, theirs }: Versions, address: RecordingAddress): Choice {
  const [before, left, right] = [base, ours, theirs].map((text) => readVersion(text, address));
  if (left === undefined && right === undefined)
    return { undecided: localize("neither side is a recording with this name") };
  if (left === undefined) return { side: "theirs" };
  if (right === undefined) return { side: "ours" };
  if (left.content === right.content) {
    // Of the same moment, either will do, but the same one on both branches.
    const isOurs =
      left.recordedAt === right.recordedAt
        ? (ours ?? "") <= (theirs ?? "")
        : left.recordedAt < right.recordedAt;
    return { side: isOurs ? "ours" : "theirs" };
  }
  if (before !== undefined && [left, right].some((side) => side.recordedAt === before.recordedAt))
    return { undecided: localize("one side was edited by hand, and the other side changed too") };
  if (left.recordedAt === right.recordedAt)
    return { undecided: localize("both were recorded at the same time, with different content") };
  return { side: left.recordedAt > right.recordedAt ? "ours" : "theirs" };
}

/** Whether a text is a recording of its name. */
export function isRecordingOf(text: string | undefined, address: RecordingAddress): boolean {
  return readVersion(text, address) !== undefined;
}

interface Version {
  /** ISO 8601 in UTC: such texts compare as the moments do. */
  readonly recordedAt: string;
  /** Request and reply as one text. */
  readonly content: string;
}

/** Blobs are not looked at: while git merges, they are not there yet. */
function readVersion(text: string | undefined, { key, provider }: RecordingAddress): Version | undefined {
  if (text === undefined) return undefined;
  const errors: ParseError[] = [];
  const value: unknown = parse(text.replace(/^\ufeff/, ""), errors, { allowTrailingComma: true });
  if (errors.length > 0 || typeof value !== "object" || value === null) return undefined;
  const members = new Map<string, unknown>(Object.entries(value));
  if (members.get("key") !== key || members.get("provider") !== provider) return undefined;
  const recordedAt = members.get("recordedAt");
  if (typeof recordedAt !== "string" || !members.has("request") || !members.has("reply")) return undefined;
  const content = JSON.stringify(["request", "reply", "blobs"].map((name) => members.get(name)));
  return { recordedAt, content };
}

/** The two texts that a merge could not make one. */
export interface ConflictSides {
  readonly ours: string;
  readonly theirs: string;
}

const MARK = /^(<{7}|\|{7}|={7}|>{7})(?: .*)?\r?$/;

/** Both sides of a text with git's marks of conflicts in it, also in the style that shows the base; undefined where none are. */
export function splitConflictSides(text: string): ConflictSides | undefined {
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
