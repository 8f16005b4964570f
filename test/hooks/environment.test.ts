import { expect, test } from "vitest";
import { createHookEnvironment, createHookVariables } from "../../src/hooks/environment.ts";

const POSIX = {
  hooksDir: "/ext dir/hooks",
  url: "http://127.0.0.1:1/t",
  roots: ["/a", "/b"],
  delimiter: ":",
};
const WINDOWS = {
  hooksDir: "C:\\ext dir\\hooks\\",
  url: "http://127.0.0.1:1/t",
  roots: ["C:\\a"],
  delimiter: ";",
};

test("the variables name the server, the folders and the files to load", () => {
  expect(createHookEnvironment({ ...POSIX, base: {} })).toEqual({
    TAPEDECK_URL: "http://127.0.0.1:1/t",
    TAPEDECK_ROOTS: "/a:/b",
    TAPEDECK_GUARD: "off",
    NODE_OPTIONS: '--require="/ext dir/hooks/javascript/tapedeck-preload.cjs"',
    PYTHONPATH: "/ext dir/hooks/python",
  });
  expect(createHookEnvironment({ ...WINDOWS, base: {} })).toMatchObject({
    NODE_OPTIONS: '--require="C:/ext dir/hooks/javascript/tapedeck-preload.cjs"',
    PYTHONPATH: "C:\\ext dir\\hooks\\python",
  });
});

test("existing values are kept, Node's before ours, Python's after it", () => {
  const base = { NODE_OPTIONS: '--max-old-space-size=4096 --require "/x y/z.js"', PYTHONPATH: "/lib::/more" };

  expect(createHookEnvironment({ ...POSIX, base })).toMatchObject({
    NODE_OPTIONS: `${base.NODE_OPTIONS} --require="/ext dir/hooks/javascript/tapedeck-preload.cjs"`,
    PYTHONPATH: "/ext dir/hooks/python:/lib:/more",
  });
  expect(createHookEnvironment({ ...WINDOWS, base: { PythonPath: "D:\\lib" } })["PYTHONPATH"]).toBe(
    "C:\\ext dir\\hooks\\python;D:\\lib",
  );
});

test("applied twice it is the same, and another version's file is replaced", () => {
  const base = {
    NODE_OPTIONS:
      '--require="/old \\"v/javascript/tapedeck-preload.cjs" --inspect --require=/x/tapedeck-preload.cjs',
    PYTHONPATH: "/home/me/.local/share/tapedeck/hooks/0123456789abcdef/python:/lib",
  };

  const once = createHookEnvironment({ ...POSIX, base });

  expect(createHookEnvironment({ ...POSIX, base: once })).toEqual(once);
  expect(once["PYTHONPATH"]).toBe("/ext dir/hooks/python:/lib");
  expect(once["NODE_OPTIONS"]).toBe('--inspect --require="/ext dir/hooks/javascript/tapedeck-preload.cjs"');
});

test("the guarded hosts are in a variable, unless the user has disabled the guard", () => {
  const guard = { hosts: ["api.openai.com"], plain: ["127.0.0.1:11434"], calls: "" };

  const { TAPEDECK_GUARD: guarded } = createHookEnvironment({ ...POSIX, guard, base: {} });
  const { TAPEDECK_GUARD: off } = createHookEnvironment({ ...POSIX, guard, base: { TAPEDECK_GUARD: "off" } });

  expect(JSON.parse(guarded ?? "")).toEqual({ v: 1, ...guard, before: {} });
  expect(off).toBe("off");
});

test("for a terminal the same is expressed as an addition, without an empty entry", () => {
  expect(createHookVariables({ ...POSIX, roots: ["/a", ""] })).toEqual({
    set: { TAPEDECK_URL: "http://127.0.0.1:1/t", TAPEDECK_ROOTS: "/a", TAPEDECK_GUARD: "off" },
    nodeOption: '--require="/ext dir/hooks/javascript/tapedeck-preload.cjs"',
    pythonFolder: "/ext dir/hooks/python",
  });
});

test("a folder that no list can hold is not named in one: its pieces would be seen from the working directory", () => {
  const hooksDir = "/ext:dir/hooks";

  expect(createHookEnvironment({ ...POSIX, hooksDir, base: { PYTHONPATH: "/lib" } })).not.toHaveProperty(
    "PYTHONPATH",
  );
});
