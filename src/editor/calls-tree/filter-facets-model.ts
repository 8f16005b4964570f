import type { SessionState } from "../session/session-model.ts";
import type { Rows } from "./call-rows-model.ts";
import type { RecordingIndex } from "./recording-index-model.ts";

/** A way to narrow the calls down that leads somewhere. */
export interface Facet {
  readonly name: "state" | "provider" | "model" | "test";
  readonly value: string;
  /** In a few words, what it shows. */
  readonly about: string;
}

const STATES: readonly Facet[] = [
  { name: "state", value: "missing", about: "asked for, not recorded" },
  { name: "state", value: "new", about: "recorded, not yet accepted" },
  { name: "state", value: "stale", about: "no longer asked for" },
  { name: "state", value: "broken", about: "files that cannot be read" },
];

const EACH = 30;

/** States, then the providers, models and test files that are known so far. */
export function facetsOf(sources: {
  readonly index: Pick<RecordingIndex, "known">;
  readonly state: SessionState;
  readonly rows: Rows;
}): readonly Facet[] {
  const providers = new Set<string>();
  const models = new Set<string>();
  const tests = new Set<string>();
  for (const { miss, test } of sources.state.missing) {
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
    ...facets("provider", providers, "provider"),
    ...facets("model", models, "model"),
    ...facets("test", tests, "test file"),
  ];
}

function facets(name: Facet["name"], values: ReadonlySet<string>, about: string): readonly Facet[] {
  return [...values]
    .sort((a, b) => a.localeCompare(b))
    .slice(0, EACH)
    .map((value) => ({ name, value, about }));
}
