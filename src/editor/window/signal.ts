import * as vscode from "vscode";

/** An event that many changes in a row fire once. */
export type Signal = ReturnType<typeof createSignal>;

const AFTER_MS = 30;

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

/** A text that is there for a few seconds. */
export type Flash = ReturnType<typeof createFlash>;

const FLASH_MS = 5_000;

/** `over` is called when a text has had its time. */
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
