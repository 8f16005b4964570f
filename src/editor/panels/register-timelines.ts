import * as vscode from "vscode";
import type { Sessions } from "../session/folder-session.ts";
import { TIMELINE_VIEW } from "../window/ids.ts";
import type { Pages } from "./timeline-panel.ts";

export interface Timelines extends vscode.Disposable {
  /** Opens a timeline, or shows the open one of the same subject. `subject` is plain and stored across reloads. */
  open(subject: unknown, title: string): Promise<void>;
}

/** Registers the timelines of a window. Their code is loaded when one is opened, or shown again after a reload. */
export function registerTimelines(extension: vscode.Uri, sessions: Sessions): Timelines {
  let loading: Promise<Pages> | undefined;
  const load = (): Promise<Pages> =>
    (loading ??= import("./timeline-panel.ts").then(({ createTimelines }) =>
      createTimelines(extension, sessions),
    ));
  const serializer = vscode.window.registerWebviewPanelSerializer(TIMELINE_VIEW, {
    deserializeWebviewPanel: async (panel, state: unknown) => (await load()).restore(panel, state),
  });
  return {
    open: async (subject, title) => (await load()).open(subject, title),
    // Open pages stay, because the window shows them again after a reload.
    dispose: () => serializer.dispose(),
  };
}
