import { existsSync } from "node:fs";
import { readFields, readList } from "../core/base/lenient.ts";
import { readLocal, updateLocal } from "../storage/local/local-state.ts";

/** Something that an agent did or tried to do, other than reading. */
export interface AgentAction {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The program that called, as it names itself. */
  readonly client: string;
  readonly tool: string;
  /** The test, recording, or miss that it named. */
  readonly subject: string;
  /** "refused": no person agreed. */
  readonly outcome: "done" | "refused" | "failed";
  /** The source of the agreement; absent if none is needed. */
  readonly agreed?: "person" | "budget";
  /** Calls that were sent, and their cost in US dollars. */
  readonly calls?: number;
  readonly costUsd?: number;
}

const NAME = "agents";
/** Maximum number of remembered actions; the oldest are removed first. */
const MOST = 500;
/** Maximum characters of a name or subject. */
const LONGEST = 200;

/** Adds an action to the log of a cassette folder. Without a folder there is no log. */
export async function logAction(dir: string, action: AgentAction): Promise<void> {
  if (!existsSync(dir)) return;
  const entry = {
    ...action,
    client: action.client.slice(0, LONGEST),
    subject: action.subject.slice(0, LONGEST),
  };
  await updateLocal(dir, NAME, (now) => [...readList(now), entry].slice(-MOST));
}

/** Returns the logged actions of a cassette folder, oldest first. Never throws. */
export async function readActions(dir: string): Promise<readonly AgentAction[]> {
  return readList(await readLocal(dir, NAME)).filter(isAction);
}

function isAction(value: unknown): value is AgentAction {
  const { at, client, tool, subject, outcome } = readFields(value);
  return (
    typeof at === "number" && [client, tool, subject, outcome].every((member) => typeof member === "string")
  );
}
