import { expect, test } from "vitest";
import { type PythonApi, findSelectedInterpreter } from "../../src/test-discovery/python-extension.ts";

function apiWith(path: string, executable = path): PythonApi<string> {
  return {
    environments: {
      getActiveEnvironmentPath: (resource) => ({ path: resource === "folder" ? path : "elsewhere" }),
      resolveEnvironment: async (environment) =>
        environment.path === path ? { executable: { uri: { fsPath: executable } } } : undefined,
    },
  };
}

const find = (api: PythonApi<string> | undefined): Promise<string | undefined> =>
  findSelectedInterpreter(async () => api, "folder");

test("is the interpreter that the user selected, also if the API names its environment", async () => {
  expect(await find(apiWith("/envs/one/bin/python"))).toBe("/envs/one/bin/python");
  expect(await find(apiWith("/envs/one", "/envs/one/bin/python"))).toBe("/envs/one/bin/python");
});

test("is undefined if none is selected, and if the extension is not installed, older, or broken", async () => {
  expect(await find(apiWith("python", "/usr/bin/python"))).toBeUndefined();
  expect(await find(undefined)).toBeUndefined();
  expect(await find({})).toBeUndefined();
  expect(await findSelectedInterpreter(() => Promise.reject(new Error("broken")), "folder")).toBeUndefined();
});
