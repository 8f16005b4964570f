/** The part of the Python extension's API that names the interpreter that the user selected for a folder. */
export interface PythonApi<Resource> {
  readonly environments?: {
    readonly getActiveEnvironmentPath: (resource: Resource) => { readonly path: string };
    readonly resolveEnvironment: (environment: {
      readonly path: string;
    }) => Promise<{ readonly executable: { readonly uri?: { readonly fsPath: string } } } | undefined>;
  };
}

/** The path that the API gives for a folder without a selected interpreter. */
const NOT_SELECTED = "python";

/** Returns the path of the selected interpreter; undefined if none is selected or the extension does not start. */
export async function findSelectedInterpreter<Resource>(
  activate: () => PromiseLike<PythonApi<Resource> | undefined>,
  resource: Resource,
): Promise<string | undefined> {
  try {
    const environments = (await activate())?.environments;
    const active = environments?.getActiveEnvironmentPath(resource);
    if (environments === undefined || active === undefined || active.path === NOT_SELECTED) return undefined;
    return (await environments.resolveEnvironment(active))?.executable.uri?.fsPath;
  } catch {
    return undefined;
  }
}
