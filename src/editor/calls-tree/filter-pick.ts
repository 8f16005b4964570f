import * as vscode from "vscode";
import { facetText, filterFromText, toggleFacet } from "./call-filter-model.ts";
import { facetsOf } from "./filter-facets-model.ts";
import { throttle } from "./throttle.ts";
import type { ViewDeps } from "../call-commands/view-deps.ts";

interface FilterItem extends vscode.QuickPickItem {
  /** Put into the text, or taken out of it; undefined for "show these". */
  readonly facet?: string;
}

const PREVIEW_MS = 200;

/** Asks for a filter and shows its effect while it is typed; resolves to the text to keep, the old one on Escape. */
export async function askForFilter(deps: ViewDeps, preview: (text: string) => void): Promise<string> {
  const { model, index } = deps;
  const before = model.filterText;
  const pick = vscode.window.createQuickPick<FilterItem>();
  pick.placeholder = 'Words of a prompt or a reply, "several words", model:…, test:…';
  pick.value = before;
  const update = throttle(
    () => preview(pick.value),
    () => PREVIEW_MS,
  );
  const refill = (): void => {
    pick.items = itemsFor(pick.value, deps);
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
      const facet = pick.activeItems[0]?.facet;
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
    label: typed === "" ? "$(list-tree) Show all calls" : `$(filter) Show calls with ${typed}`,
    alwaysShow: true,
  };
  const facets = facetsOf({ index, state: session.state, rows: model.rows }).map(
    ({ name, value: of, about }) => {
      const facet = facetText(name, of);
      const isOn = value.toLowerCase().includes(facet.toLowerCase());
      return { label: `$(${isOn ? "check" : "add"}) ${facet}`, description: about, alwaysShow: true, facet };
    },
  );
  const rest =
    chosen.words.length > 0
      ? facets.filter(({ label }) => chosen.words.some((word) => label.toLowerCase().includes(word)))
      : facets;
  return [show, { label: "Narrow down", kind: vscode.QuickPickItemKind.Separator }, ...rest];
}
