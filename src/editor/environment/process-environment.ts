import { valueAfter, type VariableChange } from "./environment-model.ts";

/** Variables of a process that can be set and taken back exactly. */
export interface ProcessEnvironment {
  /** Puts these changes in place of the ones before. */
  set(changes: readonly VariableChange[]): void;
  /** Takes back what is ours; a variable that somebody else changed since then stays as it is. */
  takeBack(): void;
  /** What the variables would be without us. */
  without(): Record<string, string | undefined>;
}

interface Held {
  readonly before: string | undefined;
  readonly ours: string;
}

/** `variables` is `process.env`: other extensions start their processes with it. */
export function createProcessEnvironment(variables: NodeJS.ProcessEnv): ProcessEnvironment {
  const held = new Map<string, Held>();

  function takeBack(): void {
    for (const [name, { before, ours }] of held) {
      if (variables[name] !== ours) continue;
      if (before === undefined) Reflect.deleteProperty(variables, name);
      else variables[name] = before;
    }
    held.clear();
  }

  return {
    set(changes) {
      takeBack();
      for (const change of changes) {
        const before = variables[change.name];
        const ours = valueAfter(change, before);
        held.set(change.name, { before, ours });
        variables[change.name] = ours;
      }
    },
    takeBack,
    without() {
      const own = [...held].filter(([name, { ours }]) => variables[name] === ours);
      return { ...variables, ...Object.fromEntries(own.map(([name, { before }]) => [name, before])) };
    },
  };
}
