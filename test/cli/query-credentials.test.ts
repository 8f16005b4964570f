import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { send } from "../support/http-client.ts";
import { aServer } from "../support/a-server.ts";
import { anArchive } from "./imports.ts";
import { textsBelow } from "./recordings.ts";
import { aProject, serving, tapedeck } from "./tapedeck.ts";
import { filesBelow } from "../support/files-below.ts";

const ONE = "phc-0123456789abcdefghijkl";

/** Answers with how often it was asked. */
async function anApi() {
  const asked: string[] = [];
  const origin = await aServer((request, response) => {
    asked.push(request.url ?? "");
    request.resume().on("end", () => response.end(`answer ${asked.length}`));
  });
  return { asked, options: ["--upstream", `events=${origin}`] };
}

interface SentRequest {
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

async function served(cwd: string, args: readonly string[], calls: readonly (string | SentRequest)[]) {
  const server = await serving(["--log", "json", ...args], { cwd });
  const bodies: string[] = [];
  for (const call of calls) {
    const { path, type, body } = typeof call === "string" ? { path: call, type: "", body: "" } : call;
    const asked = type === "" ? {} : { headers: { "content-type": type }, body };
    bodies.push((await send(`${server.ready.url}/events${path}`, asked)).body.toString());
  }
  const { stdout, stderr } = await server.end();
  return { bodies, told: stdout + stderr };
}

const written = (cwd: string): string => textsBelow(join(cwd, ".tapedeck", "calls"));

describe("a key or token in the query of a provider of the user's own that looks like a credential", () => {
  it("keeps its answer from being recorded, with a hint", async () => {
    const api = await anApi();
    const cwd = aProject();

    const { bodies, told } = await served(cwd, ["--mode", "record", ...api.options], [`/v1?token=${ONE}`]);

    expect([bodies, written(cwd)]).toEqual([["answer 1"], ""]);
    expect(told).toContain("the path contains the credential that the call sent in the query");
    expect(told.replaceAll('\\"', '"')).toContain('"credentials": {"events":["token"]}');
    expect(told.replaceAll('\\"', '"')).toContain(
      'Set "credentials": {"events":[]} there if it is not a credential',
    );
    expect(told).not.toContain(ONE);
  });

  it("is left out when the project names it", async () => {
    const api = await anApi();
    const cwd = aProject({ "tapedeck.jsonc": '{ "credentials": { "events": ["Token"] } }' });
    const recorded = await served(cwd, ["--mode", "record", ...api.options], [`/v1?token=${ONE}&page=1`]);

    const strict = await served(cwd, api.options, ["/v1?page=1&token=short", "/v1?token=a&page=2"]);

    expect(api.asked).toEqual([`/v1?token=${ONE}&page=1`]);
    expect(strict.bodies[0]).toBe(recorded.bodies[0]);
    expect(strict.bodies[1]).toContain("Differs from the nearest recording (");
    expect(written(cwd)).toContain('"path": "/v1?page=1"');
    expect(recorded.told + strict.told).not.toContain(ONE);
  });

  const inForm = (name: string, value: string): SentRequest => ({
    path: "/v1",
    type: "application/x-www-form-urlencoded",
    body: `page=1&${name}=${value}`,
  });
  const inJson = (name: string, value: string, page = 1): SentRequest => ({
    path: "/v1",
    type: "application/json",
    body: JSON.stringify({ page, inside: { [name]: value } }),
  });
  const CONFIG = { credentials: { events: ["token", "Key"] } };

  it.each([
    ["a member of JSON", {}, inJson("token", ONE), inJson("token", "test")],
    ["a member of JSON where it redacts", { secrets: "redact" }, inJson("token", ONE), inJson("token", "t")],
    ["one of another spelling", {}, inJson("KEY", "short-key-9"), inJson("KEY", "other")],
    ["a field of a form", {}, inForm("token", ONE), inForm("token", "test")],
  ])(
    "is replaced in a body when the project names it, however short: %s",
    async (_, more, real, placeholder) => {
      const api = await anApi();
      const cwd = aProject({ "tapedeck.jsonc": JSON.stringify({ ...CONFIG, ...more }) });
      const recorded = await served(cwd, ["--mode", "record", ...api.options], [real]);

      const strict = await served(cwd, api.options, [placeholder]);

      expect([...recorded.bodies, ...strict.bodies]).toEqual(["answer 1", "answer 1"]);
      expect(written(cwd)).toContain("redacted");
      expect(written(cwd) + recorded.told).not.toMatch(/phc-0123|short-key-9/);
      expect(await tapedeck(["check"], { cwd })).toMatchObject({ code: 0 });
    },
  );

  it("is no credential in prompts, and distinguishes other members of a body", async () => {
    const api = await anApi();
    const cwd = aProject({ "tapedeck.jsonc": JSON.stringify(CONFIG) });
    const said = { ...inJson("", ""), body: JSON.stringify({ messages: [{ token: "a word" }] }) };

    const { bodies } = await served(
      cwd,
      ["--mode", "record", ...api.options],
      [said, inJson("token", ONE), inJson("token", ONE, 2)],
    );

    expect(bodies).toEqual(["answer 1", "answer 2", "answer 3"]);
    expect(written(cwd)).toContain('"token": "a word"');
  });

  it("keeps an answer that repeats a named one from being recorded", async () => {
    const origin = await aServer((request, response) => {
      request.resume().on("end", () => response.end(`you are ${request.url}`));
    });
    const cwd = aProject({ "tapedeck.jsonc": '{ "credentials": { "events": ["who"] } }' });

    const args = ["--mode", "record", "--upstream", `events=${origin}`];
    const { told } = await served(cwd, args, [`/v1?who=${ONE}`]);

    expect(told).toContain("the response contains the credential that the call sent in the query");
    expect(written(cwd)).toBe("");
  });

  it("separates calls if the project declares that it is not a credential, also if it redacts", async () => {
    const api = await anApi();
    const cwd = aProject({ "tapedeck.jsonc": '{ "credentials": { "events": [] }, "secrets": "redact" }' });
    const ids = ["01890a5d-ac96-774b-bcce-b302099a8057", "01890a5d-ac96-774b-bcce-b302099a8058"];
    const paths = ids.map((id) => `/v1?token=${id}`);

    const recorded = await served(cwd, ["--mode", "record", ...api.options], paths);
    const strict = await served(cwd, api.options, paths.toReversed());

    expect(recorded.bodies).toEqual(["answer 1", "answer 2"]);
    expect(strict.bodies).toEqual(["answer 2", "answer 1"]);
    expect(filesBelow(join(cwd, ".tapedeck", "calls"))).toHaveLength(2);
    expect(await tapedeck(["check"], { cwd })).toMatchObject({ code: 0 });
  });

  it("is missed beside a recording of a time when it was left out, which is named without it", async () => {
    const api = await anApi();
    const cwd = aProject({ "tapedeck.jsonc": '{ "credentials": { "events": ["token"] } }' });
    await served(cwd, ["--mode", "record", ...api.options], [`/v1?token=${ONE}`]);
    writeFileSync(join(cwd, "tapedeck.jsonc"), "{}");

    const { bodies, told } = await served(cwd, api.options, [`/v1?token=${ONE}`]);

    expect(bodies[0]).toContain("query token added (its value may be a credential)");
    expect(bodies[0] + told).not.toContain(ONE);
  });

  it("is refused by import, and left out when it is named", async () => {
    const url = `https://events.example/v1?token=${ONE}`;
    const har = JSON.stringify(anArchive([{ method: "GET", url, answered: "answer" }]));
    const imported = async (config: string) => {
      const cwd = aProject({ "file.har": har, "tapedeck.jsonc": config });
      const args = ["import", "file.har", "--upstream", "events=https://events.example"];
      const { stdout, stderr } = await tapedeck(args, { cwd });
      return { said: stdout + stderr, files: written(cwd) };
    };

    const refused = await imported("{}");
    const named = await imported('{ "credentials": { "events": ["token"] } }');

    expect([refused.files, refused.said]).toEqual(["", expect.stringContaining("refused")]);
    expect(named.files).toContain('"path": "/v1"');
    expect(refused.said + named.said + named.files).not.toContain(ONE);
  });
});
