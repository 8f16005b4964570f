import { expect, test } from "vitest";
import { quote } from "../../src/cli/program-name.ts";
import { asPlatform } from "../support/as-platform.ts";

test.each<[NodeJS.Platform, readonly string[]]>([
  ["linux", ["node", "'dist\\cli.js'", "'Say hi'", `'it'\\''s'`]],
  ["win32", ["node", "dist\\cli.js", '"Say hi"', `"it's"`]],
])("on %s, the words of a command are quoted for the user's shell", (platform, words) => {
  asPlatform(platform);

  expect(["node", "dist\\cli.js", "Say hi", "it's"].map(quote)).toEqual(words);
});
