import type { CallsModel } from "../calls-tree/calls-model.ts";
import type { RecordingIndex } from "../calls-tree/recording-index-model.ts";
import type { Documents } from "../documents/documents.ts";
import type { CommandId } from "../window/ids.ts";
import type { Session } from "./session.ts";

/** Tapedeck in one folder: its session, with what it gives to views, documents and commands. */
export interface FolderSession {
  readonly session: Session;
  readonly index: RecordingIndex;
  readonly model: CallsModel;
  readonly documents: Documents;
  /** Does any command of the extension for this folder. */
  command(id: CommandId, ...args: readonly unknown[]): Promise<unknown>;
  /** Looks again at what is wanted here, e.g. after another folder became the first one. */
  begin(): Promise<void>;
  /** Resolves when the port is free and what is remembered is written. */
  close(): Promise<void>;
}
