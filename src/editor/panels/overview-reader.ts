import { overviewData, type OverviewData } from "../../core/overview/overview-data.ts";
import { dayOf } from "../../storage/overview/day-files.ts";
import { readOverview, type OverviewSources } from "../../storage/overview/read-overview.ts";

/** What the page of an overview shows, read anew. Loaded when one is opened. */
export async function readOverviewData(sources: OverviewSources): Promise<OverviewData> {
  return overviewData((await readOverview(sources)).overview, dayOf);
}

/** What is known before any recording is looked at. */
export async function readRunsData(sources: OverviewSources): Promise<OverviewData> {
  return readOverviewData({ ...sources, store: { ...sources.store, list: async () => [] } });
}
