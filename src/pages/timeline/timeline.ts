import type { TimelineData } from "../../core/view/run-record/timeline-data.ts";
import { connectHost, keptOf } from "../host.ts";
import { TimelineView, type ViewState } from "./view.ts";

const host = connectHost();
const main = document.querySelector("main");

const kept = keptOf<ViewState>(host);

if (main !== null) {
  const state: ViewState = kept.view ?? { search: "", time: "run" };
  const view = new TimelineView({
    main,
    state,
    keep: (now) => kept.keep({ view: now }),
    ask: (request) => host.post(request),
  });
  host.onMessage((message) => {
    const { type, subject, data } = message as { type: unknown; subject?: unknown; data?: TimelineData };
    if (type === "subject") kept.keep({ subject });
    if (type === "data" && data) view.show(data);
  });
  host.post({ type: "ready" });
}
