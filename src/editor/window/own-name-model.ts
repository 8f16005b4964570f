/**
 * The name under which a folder keeps or registers something of which a window has one for each folder. `tag`: of the
 * folder; undefined in a window that can have one only.
 */
export function ownName(name: string, tag: string | undefined): string {
  return tag === undefined ? name : `${name} ${tag}`;
}
