import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import { COMMANDS, type CommandTable, REMEMBERED, VIEWS } from "../window/ids.ts";
import { GROUPINGS, type Grouping, isGrouping } from "../calls-tree/call-groups-model.ts";
import type { ViewDeps } from "./command-targets.ts";
import { createLivePick, pickOne } from "../window/picks.ts";
import { writeFacet, parseFilter, toggleFacet } from "../calls/call-filter-model.ts";
import { throttle } from "../window/throttle.ts";
import type { PickItem } from "../window/messages-model.ts";
import type { SessionState } from "../session/session-model.ts";
import type { Rows } from "../calls-tree/call-rows-model.ts";
import { listMissingCalls } from "../findings/findings-model.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";

/** Commands that filter and group the tree. */
export function createBrowseCommands(deps: ViewDeps) {
  const { model, view, memento } = deps;
  const show = (text: string): void => {
    model.filterText = text;
    view.refresh();
  };
  return {
    [COMMANDS.filterCalls]: async (text) => {
      show(typeof text === "string" ? text : await askForFilter(deps, show));
      // Links in documents open the view.
      if (typeof text === "string") await vscode.commands.executeCommand(`${VIEWS.calls}.focus`);
      await memento.update(REMEMBERED.filter, model.filterText);
    },
    [COMMANDS.clearFilter]: async () => {
      show("");
      await memento.update(REMEMBERED.filter, undefined);
    },
    [COMMANDS.groupCalls]: async (wanted) => {
      const grouping = isGrouping(wanted) ? wanted : await askForGrouping(model.grouping);
      if (grouping === undefined) return;
      model.grouping = grouping;
      view.refresh();
      await memento.update(REMEMBERED.grouping, grouping);
    },
  } satisfies Partial<CommandTable>;
}

const GROUPING_TEXTS: Record<Grouping, readonly [label: string, description: string]> = {
  test: [localize("Test"), localize("by test file, then by test")],
  file: [localize("File"), localize("by test file")],
  provider: [localize("Provider"), localize("by the provider that answered")],
  model: [localize("Model"), localize("by the requested model")],
  day: [localize("Day"), localize("by the day of the recording")],
};

async function askForGrouping(current: Grouping): Promise<Grouping | undefined> {
  const items = GROUPINGS.map((grouping) => ({
    icon: grouping === current ? "check" : "blank",
    label: GROUPING_TEXTS[grouping][0],
    description: GROUPING_TEXTS[grouping][1],
    grouping,
  }));
  return (await pickOne(items, { placeholder: localize("Group recordings by") }))?.grouping;
}

interface FilterItem extends PickItem {
  /** Toggled in the filter's text; undefined for "Show calls". */
  readonly facet?: string;
}

const PREVIEW_MS = 200;

/**
 * Asks for a filter and shows its effect while it is typed. Resolves to the typed text even if the list was closed with
 * Escape or by a click on a result: a filter stays until it is cleared.
 */
async function askForFilter(deps: ViewDeps, preview: (text: string) => void): Promise<string> {
  const { model, index } = deps;
  const placeholder = localize('Words of a prompt or a reply, "several words", model:…, test:…');
  const { pick, fill } = createLivePick<FilterItem>({ placeholder });
  pick.value = model.filterText;
  const update = throttle(
    () => preview(pick.value),
    () => PREVIEW_MS,
  );
  const refill = (): void => {
    fill(itemsFor(pick.value, deps));
  };
  const listening = [
    pick.onDidChangeValue(() => {
      refill();
      update();
    }),
    index.onDidChange(throttle(refill, () => 1_000)),
  ];
  refill();
  pick.show();
  const kept = await new Promise<string>((resolve) => {
    pick.onDidAccept(() => {
      const facet = pick.activeItems[0]?.of.facet;
      if (facet === undefined) return resolve(pick.value);
      pick.value = `${toggleFacet(pick.value, facet)} `.trimStart();
      refill();
      update();
    });
    pick.onDidHide(() => resolve(pick.value));
  });
  vscode.Disposable.from(...listening, update, pick).dispose();
  return kept.trim();
}

/** "Show calls" is first, so that typing and Enter apply the filter. */
function itemsFor(value: string, { model, index, session }: ViewDeps): FilterItem[] {
  const typed = value.trim();
  const chosen = parseFilter(value);
  const show: FilterItem = {
    icon: typed === "" ? "list-tree" : "filter",
    label: typed === "" ? localize("Show all calls") : localize("Show calls with {0}", typed),
    alwaysShow: true,
  };
  const facets = facetsOf({ index, state: session.state, rows: model.rows }).map(
    ({ name, value: of, about }) => {
      const facet = writeFacet(name, of);
      const isOn = value.toLowerCase().includes(facet.toLowerCase());
      return { icon: isOn ? "check" : "add", label: facet, description: about, alwaysShow: true, facet };
    },
  );
  const rest =
    chosen.words.length > 0
      ? facets.filter(({ label }) => chosen.words.some((word) => label.toLowerCase().includes(word)))
      : facets;
  return [show, { label: localize("Filters"), isSeparator: true }, ...rest];
}

/** A filter with results. */
interface Facet {
  readonly name: "state" | "provider" | "model" | "test";
  readonly value: string;
  /** A short description of its results. */
  readonly about: string;
}

const STATES: readonly Facet[] = [
  { name: "state", value: "missing", about: localize("requested, not recorded") },
  { name: "state", value: "made-up", about: localize("answered by a mock, not recorded") },
  { name: "state", value: "new", about: localize("recorded, not yet accepted") },
  { name: "state", value: "stale", about: localize("no longer requested by its test") },
  { name: "state", value: "broken", about: localize("files that cannot be read") },
];

const EACH = 30;

/** States, then the providers, models, and test files that are known so far. */
function facetsOf(sources: {
  readonly index: Pick<RecordingIndex, "known">;
  readonly state: SessionState;
  readonly rows: Rows;
}): readonly Facet[] {
  const providers = new Set<string>();
  const models = new Set<string>();
  const tests = new Set<string>();
  for (const { miss, test } of listMissingCalls(sources.state.findings)) {
    providers.add(miss.provider);
    if (miss.model !== undefined) models.add(miss.model);
    if (test) tests.add(test.file);
  }
  for (const [address, facts] of sources.index.known()) {
    providers.add(address.provider);
    if (facts?.kind !== "read") continue;
    if (facts.model !== undefined) models.add(facts.model);
    if (facts.test) tests.add(facts.test.file);
  }
  return [
    ...STATES,
    ...toFacets("provider", providers, localize("provider")),
    ...toFacets("model", models, localize("model")),
    ...toFacets("test", tests, localize("test file")),
  ];
}

function toFacets(name: Facet["name"], values: ReadonlySet<string>, about: string): readonly Facet[] {
  return [...values]
    .sort((a, b) => a.localeCompare(b))
    .slice(0, EACH)
    .map((value) => ({ name, value, about }));
}
