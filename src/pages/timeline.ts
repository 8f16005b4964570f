import { setTranslations, type Translations } from "../core/base/localize.ts";
import { readRunRecordValue } from "../core/view/run-record/run-record-text.ts";
import type { TimelineData } from "../core/view/run-record/timeline-data.ts";
import { TimelineView, type ViewState } from "./view.ts";

interface EditorApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): EditorApi;

/** State that a panel keeps when it is hidden or reloaded: its subject, which the editor sends, and the view. */
interface KeptState {
  readonly subject?: unknown;
  readonly view?: ViewState;
}

const main = document.querySelector("main");
const data = document.getElementById("data");
const texts = document.getElementById("texts");
const fresh: ViewState = { search: "", time: "run" };

if (texts !== null) setTranslations(JSON.parse(texts.textContent) as Translations);
if (main !== null && data !== null) showReport(main, data);
else if (main !== null) showPanel(main);

/** A report contains its run as JSON, and has no editor. */
function showReport(page: HTMLElement, { textContent }: HTMLElement): void {
  const run = readRunRecordValue(JSON.parse(textContent));
  const view = new TimelineView({ main: page, state: fresh, keep: () => undefined });
  view.show({ isLive: false, choices: [], ...(run && { run }) });
}

/** A panel receives its data as messages. */
function showPanel(page: HTMLElement): void {
  const api = acquireVsCodeApi();
  let kept: KeptState = api.getState() ?? {};
  const keep = (change: KeptState): void => api.setState((kept = { ...kept, ...change }));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the editor's own takes none
  const post = (message: unknown): void => api.postMessage(message);
  const view = new TimelineView({
    main: page,
    state: kept.view ?? fresh,
    keep: (now) => keep({ view: now }),
    ask: post,
  });
  addEventListener("message", ({ data: message }: MessageEvent<PanelMessage>) => {
    if (message.type === "subject") keep({ subject: message.subject });
    if (message.type === "data") view.show(message.data);
  });
  post({ type: "ready" });
}

type PanelMessage =
  | { readonly type: "subject"; readonly subject: unknown }
  | { readonly type: "data"; readonly data: TimelineData };
