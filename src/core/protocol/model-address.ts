import { percentDecoded } from "../wire/percent.ts";

/** How a provider's paths name a model and what is asked of it. */
export interface ModelAddress {
  /** Whether a call asks for this operation of any model. */
  accepts(method: string, pathname: string, operation: string): boolean;
  /** The model that a path names, decoded. */
  modelIn(path: string): string | undefined;
}

/** `pattern` has two groups: the model, still encoded, and the operation. */
export function modelAddress(pattern: RegExp): ModelAddress {
  return {
    accepts: (method, pathname, operation) => method === "POST" && pattern.exec(pathname)?.[2] === operation,
    modelIn(path) {
      const name = pattern.exec(path)?.[1];
      return name === undefined ? undefined : percentDecoded(name);
    },
  };
}
