import * as vscode from "vscode";
import { facetText, filterFromText, toggleFacet } from "./call-filter-model.ts";
import { facetsOf } from "./filter-facets-model.ts";
import { throttle } from "./throttle.ts";
import type { ViewDeps } from "../call-commands/view-deps.ts";
import { type PickItem } from "../window/messages-model.ts";
import { createLivePick } from "../window/picks.ts";

interface FilterItem extends PickItem {
  /** Put into the text, or taken out of it; undefined for "show these". */
  readonly facet?: string;
}

const PREVIEW_MS = 200;

/** Asks for a filter and shows its effect while it is typed; resolves to the text to keep, the old one on Escape. */
export async function askForFilter(deps: ViewDeps, preview: (text: string) => void): Promise<string> {
  const { model, index } = deps;
  const before = model.filterText;
  const placeholder = 'Words of a prompt or a reply, "several words", model:…, test:…';
  const pick = createLivePick<FilterItem>({ placeholder });
  pick.value = before;
  const update = throttle(
    () => preview(pick.value),
    () => PREVIEW_MS,
  );
  const refill = (): void => {
    pick.fill(itemsFor(pick.value, deps));
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
      const facet = pick.active?.facet;
      if (facet === undefined) return resolve(pick.value);
      pick.value = `${toggleFacet(pick.value, facet)} `.trimStart();
      refill();
      update();
    });
    pick.onDidHide(() => resolve(before));
  });
  vscode.Disposable.from(...listening, update, pick).dispose();
  return kept.trim();
}

/** "Show these" comes first, so that typing and Enter is all it takes. */
function itemsFor(value: string, { model, index, session }: ViewDeps): FilterItem[] {
  const typed = value.trim();
  const chosen = filterFromText(value);
  const show: FilterItem = {
    icon: typed === "" ? "list-tree" : "filter",
    label: typed === "" ? "Show all calls" : `Show calls with ${typed}`,
    alwaysShow: true,
  };
  const facets = facetsOf({ index, state: session.state, rows: model.rows }).map(
    ({ name, value: of, about }) => {
      const facet = facetText(name, of);
      const isOn = value.toLowerCase().includes(facet.toLowerCase());
      return { icon: isOn ? "check" : "add", label: facet, description: about, alwaysShow: true, facet };
    },
  );
  const rest =
    chosen.words.length > 0
      ? facets.filter(({ label }) => chosen.words.some((word) => label.toLowerCase().includes(word)))
      : facets;
  return [show, { label: "Narrow down", isSeparator: true }, ...rest];
}
