import { runRecordFrom } from "../../core/view/run-record/run-record-text.ts";
import { TimelineView } from "../timeline/view.ts";

/** The run stands in the page itself, as JSON that no browser runs. */
const data: unknown = JSON.parse(document.getElementById("data")?.textContent ?? "null");
const main = document.querySelector("main");
const run = runRecordFrom(data);

if (main !== null) {
  const view = new TimelineView({ main, state: { search: "", time: "run" }, keep: () => undefined });
  view.show({ isLive: false, choices: [], ...(run && { run }) });
}
