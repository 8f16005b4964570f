import * as vscode from "vscode";

const AFTER_MS = 30;

/** Creates an event that fires once for many changes in a row. */
export function createSignal() {
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

const FLASH_MS = 5_000;

/** Creates a text that is shown for a few seconds. `over` is called when it disappears. */
export function createFlash(over: () => void) {
  let text: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  return {
    get text() {
      return text;
    },
    show(next: string) {
      clearTimeout(timer);
      text = next;
      timer = setTimeout(() => {
        text = undefined;
        over();
      }, FLASH_MS);
    },
    dispose: () => clearTimeout(timer),
  };
}
