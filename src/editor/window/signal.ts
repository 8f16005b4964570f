import * as vscode from "vscode";

/** An event that many changes in a row fire once. */
export interface Signal extends vscode.Disposable {
  readonly event: vscode.Event<void>;
  fireSoon(): void;
}

const AFTER_MS = 30;

export function createSignal(): Signal {
  const emitter = new vscode.EventEmitter<void>();
  let timer: NodeJS.Timeout | undefined;
  const fire = (): void => {
    timer = undefined;
    emitter.fire();
  };
  return {
    event: emitter.event,
    fireSoon: () => void (timer ??= setTimeout(fire, AFTER_MS)),
    dispose() {
      clearTimeout(timer);
      emitter.dispose();
    },
  };
}
