/** A text that is there for a few seconds. */
export interface Flash {
  readonly text: string | undefined;
  show(text: string): void;
  dispose(): void;
}

const FLASH_MS = 5_000;

/** `over` is called when a text has had its time. */
export function createFlash(over: () => void): Flash {
  let text: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  return {
    get text() {
      return text;
    },
    show(next) {
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
