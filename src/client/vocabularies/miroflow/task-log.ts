import type { LogLevel } from "../../surroundings.ts";

/** Takes the lines of a task's log. `stepId` is the turn in which a line was written. */
export type TaskLog = (level: LogLevel, step: string, message: string, stepId?: number) => void;
