/**
 * Returns a shallow copy of a provider with other fields, as Python's `copy.copy`: a subclass keeps its fields. JavaScript
 * lets nothing outside of a class copy its `#private` fields.
 */
export function copyProvider<Provider extends object>(provider: Provider, changes: object = {}): Provider {
  const copy = Object.create(Object.getPrototypeOf(provider) as object) as Provider;
  return Object.assign(copy, provider, changes);
}
