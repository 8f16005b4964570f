import { readFileSync } from "node:fs";
import { resolve } from "node:path";

/** @typedef {import("../../test/torture/torture.ts").Protection} Protection */

/** An esbuild plugin that takes one protection out of the source while it is bundled. @param {Protection} protection @returns {import("esbuild").Plugin} */
export function withoutProtection({ file, find, replace }) {
  const path = resolve(file);
  return {
    name: "without-protection",
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, (args) => {
        if (args.path !== path) return undefined;
        const parts = readFileSync(path, "utf8").split(find);
        if (parts.length !== 2)
          throw new Error(`"${find}" stands ${parts.length - 1} times in ${file}, not once.`);
        return { contents: parts.join(replace), loader: "ts" };
      });
    },
  };
}
