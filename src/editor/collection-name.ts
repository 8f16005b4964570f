import type { Session } from "./session.ts";

/** Collections of diagnostics must not share a name; people see the diagnostics' source, which all of ours share. */
export function collectionName(name: string, { tag }: Pick<Session, "tag">): string {
  return tag === undefined ? name : `${name} ${tag}`;
}
