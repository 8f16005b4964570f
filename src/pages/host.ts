/** The editor around a page; a report has none. */
export interface Host {
  post(message: unknown): void;
  /** What the page kept when it was shown last, over hiding and a reload of the window. */
  readonly state: unknown;
  keep(state: unknown): void;
  /** Told of each message of the editor. */
  onMessage(listener: (message: unknown) => void): void;
}

interface EditorApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): EditorApi;

/** May be asked for once in a page. */
export function connectHost(): Host {
  const api = acquireVsCodeApi();
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the editor's own takes none
    post: (message) => api.postMessage(message),
    get state() {
      return api.getState();
    },
    keep: (state) => api.setState(state),
    onMessage: (listener) => addEventListener("message", ({ data }: MessageEvent<unknown>) => listener(data)),
  };
}

/** What a page keeps: what it is about, as the editor said, and how it was looked at. */
interface KeptState<View> {
  readonly subject?: unknown;
  readonly view?: View;
}

/** What a page kept, to be added to. */
export function keptOf<View>(host: Host): {
  readonly view: View | undefined;
  keep(change: KeptState<View>): void;
} {
  let kept: KeptState<View> = typeof host.state === "object" && host.state !== null ? host.state : {};
  return {
    get view() {
      return kept.view;
    },
    keep(change) {
      kept = { ...kept, ...change };
      host.keep(kept);
    },
  };
}
