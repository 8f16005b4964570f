import type { OverviewData } from "../../core/overview/overview-data.ts";
import { connectHost, keptOf } from "../host.ts";
import { createOverviewView, type ViewState } from "./view.ts";

const host = connectHost();
const main = document.querySelector("main");

const kept = keptOf<ViewState>(host);

if (main !== null) {
  const view = createOverviewView({
    main,
    state: kept.view ?? {},
    keep: (now) => kept.keep({ view: now }),
    ask: (request) => host.post(request),
  });
  host.onMessage((message) => {
    const { type, subject, data, reading, reason } = message as Partial<{
      readonly type: unknown;
      readonly subject: unknown;
      readonly data: OverviewData;
      readonly reading: OverviewData["reading"];
      readonly reason: unknown;
    }>;
    if (type === "subject") kept.keep({ subject });
    if (type === "data" && data) view.show(data);
    if (type === "reading" && reading) view.reading(reading);
    if (type === "failed") view.failed(String(reason));
  });
  host.post({ type: "ready" });
  // The period that was chosen before the page was hidden.
  if (kept.view?.period !== undefined) host.post({ type: "period", days: kept.view.period });
}
