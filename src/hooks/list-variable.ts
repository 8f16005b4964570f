/** The entries of a variable that holds a list. Empty ones are left out: in PYTHONPATH one means the working directory. */
export function entriesOf(list: string | undefined, separator: string): readonly string[] {
  return (list ?? "")
    .split(separator)
    .map((entry) => (separator === "," ? entry.trim() : entry))
    .filter((entry) => entry !== "");
}

/** `list` with these entries at one of its ends, without those of them that stood in it. */
export function joinList(
  list: string | undefined,
  {
    how,
    value,
    separator,
  }: { readonly how: "append" | "prepend"; readonly value: string; readonly separator: string },
): string {
  const ours = entriesOf(value, separator);
  const theirs = entriesOf(list, separator).filter((entry) => !ours.includes(entry));
  return (how === "append" ? [...theirs, ...ours] : [...ours, ...theirs]).join(separator);
}
