import { expect, test } from "vitest";
import { aProject, tapedeck } from "../cli/tapedeck.ts";
import { casesOf } from "../support/cases.ts";

/** The part of @grpc/grpc-js 1.14 that all its calls pass, on a machine without DNS. */
const GRPC_PACKAGE = {
  "node_modules/@grpc/grpc-js/package.json": '{"name":"@grpc/grpc-js","main":"build/src/index.js"}',
  "node_modules/@grpc/grpc-js/build/src/index.js": `
exports.Channel = class Channel {
  constructor(target) { this.target = "dns:" + target; }
  getTarget() { return this.target; }
  createCall() { return new Call(); }
};
class Call {
  cancelWithStatus(...status) { this.end?.(status); }
  start(end) { this.end = end; setTimeout(end, 2_000, [14, "Name resolution failed"]); }
}`,
};
const ASK_GRPC = `
for (const target of ["firestore.googleapis.com:443", "api.x.ai:443"])
  new Channel(target).createCall("/Chat/GetCompletion").start((status) => console.log(...status));
`;

test.each(casesOf({ quick: ["ask.mjs"], long: ["ask.cjs", "ask.mjs"] }))(
  "a call over gRPC is named before its host is looked up, from %s",
  async (file) => {
    const load = file.endsWith("cjs")
      ? 'const { Channel } = require("@grpc/grpc-js");'
      : 'import { Channel } from "@grpc/grpc-js";';
    const cwd = aProject({ ...GRPC_PACKAGE, [file]: `${load}\n${ASK_GRPC}` });
    const ask = (...words: string[]) => tapedeck(["run", ...words, "--", process.execPath, file], { cwd });

    const strict = await ask();
    const recording = await ask("--mode", "record");

    expect(strict.stdout).toContain("7 Tapedeck refused a connection to api.x.ai: it speaks gRPC");
    expect(recording.stdout).toContain("14 Name resolution failed");
    for (const { stderr } of [strict, recording]) {
      expect(stderr).toMatch(/A call to api\.x\.ai:443 bypassed Tapedeck .*: it speaks gRPC that Tapedeck/);
      expect(stderr).toContain("Have the client use REST");
      expect(stderr).not.toContain("firestore");
    }
    expect([strict.code, recording.code]).toEqual([3, 0]);
  },
);
