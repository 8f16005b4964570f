import { labelOf, testsOf } from "../documents/show-call.ts";
import type { ViewDeps } from "./view-deps.ts";
import { pickMany } from "../window/picks.ts";

/** Lets a person take some of these recordings out before something happens to them; empty where they gave up. */
export async function pickSeveral(
  entries: readonly string[],
  question: string,
  deps: ViewDeps,
  about: (entry: string) => string | undefined = () => undefined,
): Promise<readonly string[]> {
  await deps.index.ensure(entries);
  const items = entries.map((entry) => ({
    label: labelOf({ entry }, deps) ?? entry,
    description: testsOf({ entry }, deps)
      .map((test) => test.name.at(-1) ?? test.file)
      .join(", "),
    detail: about(entry) ?? entry,
    picked: true,
    entry,
  }));
  const picked = await pickMany(items, {
    placeholder: question,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.map((item) => item.entry) ?? [];
}
