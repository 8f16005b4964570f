import { describe, expect, it } from "vitest";
import { aServer } from "../support/a-server.ts";
import { aProject, serving, tapedeck } from "./tapedeck.ts";

/** Posts each argument, a path and a JSON body, and prints the status and the error, if any. */
const POSTING = {
  "post.mjs": `
for (const argument of process.argv.slice(2)) {
  const [path, body] = argument.split(" ");
  const method = body === undefined ? "GET" : "POST";
  const reply = await fetch(process.env.OPENAI_BASE_URL + path, { method, headers: { "content-type": "application/json" }, body });
  const text = await reply.text();
  console.log(reply.status, text.startsWith("{") ? (JSON.parse(text).error?.message ?? "") : "");
}
`,
};

const post = (...calls: readonly string[]) => ["--", process.execPath, "post.mjs", ...calls];

/** Makes calls, each a path and a JSON body, through `serve` with these options: the statuses, and the errors' texts. */
async function posted(options: readonly string[], ...calls: readonly string[]) {
  const cwd = aProject({
    "prices.json": '{ "my-painter": { "image": 0.25 }, "my-own": { "input": 1, "output": 2 } }',
  });
  const served = await serving(["--mode", "live", "--log", "json", ...options], { cwd });
  const statuses: number[] = [];
  const errors: string[] = [];
  for (const call of calls) {
    const [path = "", body = null] = call.split(" ");
    const reply = await fetch(`${served.ready.env["OPENAI_BASE_URL"]}${path}`, {
      method: body === null ? "GET" : "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const text = await reply.text();
    statuses.push(reply.status);
    errors.push(text.startsWith("{") ? ((JSON.parse(text) as ErrorReply).error?.message ?? "") : "");
  }
  return { statuses, errors: errors.join("\n") };
}

interface ErrorReply {
  readonly error?: { readonly message?: string };
}

const SPEAK = '/audio/speech {"model":"tts-1","input":"hello","voice":"alloy"}';
const PAINT = '/images/generations {"model":"my-painter","prompt":"a_cat","n":2}';
const CHAT = '/chat/completions {"model":"my-own","messages":[{"role":"user","content":"hi"}]}';

/** Answers like OpenAI: sound, two images, a video, and a response that is completed at the second poll. */
async function aMediaServer() {
  const requests: string[] = [];
  let polls = 0;
  const origin = await aServer((request, response) => {
    const path = request.url ?? "";
    requests.push(path);
    request.resume();
    const send = (value: object) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(value));
    };
    if (path.endsWith("/speech"))
      return response.writeHead(200, { "content-type": "audio/mpeg" }).end("sound");
    if (path.endsWith("/generations")) return send({ data: [{ b64_json: "AA==" }, { b64_json: "AA==" }] });
    if (path.endsWith("/videos"))
      return send({ id: "video_1", object: "video", status: "queued", seconds: "8", model: "sora-2" });
    const isDone = request.method === "GET" && (polls += 1) > 1;
    const usage = isDone ? { input_tokens: 1_000, output_tokens: 2_000, total_tokens: 3_000 } : null;
    return send({
      id: "resp_1",
      object: "response",
      status: isDone ? "completed" : "queued",
      model: "gpt-5",
      output: [],
      usage,
    });
  });
  return { requests, options: ["--upstream", `openai=${origin}`] };
}

describe("a call that is not billed by tokens", () => {
  it("has the cost of its characters, seconds, or images, in the run and in the list, unless no reply contains it", async () => {
    const { options } = await aMediaServer();
    const cwd = aProject({ ...POSTING, "prices.json": '{ "my-painter": { "image": 0.25 } }' });
    const video = '/videos {"prompt":"a_cat"}';
    const tuning = '/fine_tuning/jobs {"model":"gpt-4o","training_file":"f"}';

    const { stderr } = await tapedeck(
      [
        "run",
        "--mode",
        "record",
        "--prices",
        "prices.json",
        ...options,
        ...post(SPEAK, PAINT, video, tuning),
      ],
      { cwd },
    );
    const list = await tapedeck(["list", "--prices", "prices.json", "--json"], { cwd });

    expect(stderr).toContain("Spent: 4 calls, about 0 tokens, about $1.30, 1 of unknown price.");
    const costs = (JSON.parse(list.stdout) as { operation: string; costUsd: number }[]).map(
      ({ operation, costUsd }) => [operation, costUsd],
    );
    expect(Object.fromEntries(costs)).toMatchObject({
      "audio.speech": expect.closeTo(0.000_075, 9),
      "images.generations": 0.5,
      "videos.create": 0.8,
    });
  });

  it("stops a run at its limit", async () => {
    const { options, requests } = await aMediaServer();
    const limited = ["--prices", "prices.json", "--max-cost", "0.5", ...options];

    const { statuses } = await posted(limited, PAINT, PAINT.replace("cat", "dog"));

    expect([statuses, requests.length]).toEqual([[200, 402], 1]);
  });
});

describe("a background response", () => {
  it("is counted once, when a poll finds it completed", async () => {
    const { options } = await aMediaServer();
    const create = '/responses {"model":"gpt-5","input":"hello","background":true}';
    const poll = "/responses/resp_1";

    const { stderr } = await tapedeck(
      ["run", "--mode", "live", ...options, ...post(create, poll, poll, poll, poll)],
      { cwd: aProject(POSTING) },
    );

    expect(stderr).toContain("Spent: 5 calls, 3,000 tokens, about $0.021.");
  });

  it("counts as much as it may use until a poll, which no limit of cost stops, finds it completed", async () => {
    const { options } = await aMediaServer();
    const create = (input: string) =>
      `/responses {"model":"gpt-5","input":"${input}","background":true,"max_output_tokens":100000}`;
    const poll = "/responses/resp_1";

    const { statuses } = await posted(
      ["--max-cost", "1", ...options],
      create("a"),
      create("b"),
      poll,
      poll,
      create("c"),
    );

    expect(statuses).toEqual([200, 402, 200, 200, 200]);
  });
});

describe("a call of unknown price, under a limit of cost", () => {
  // A private name that does not exist: the call is not free, and cannot be sent.
  const away = ["--upstream", "openai=http://nowhere.internal:9"];

  const limited = [...away, "--max-cost", "1"];

  it("is not sent, and the error names the ways out", async () => {
    const { statuses, errors } = await posted(limited, CHAT, PAINT);

    expect(statuses).toEqual([402, 402]);
    expect(errors).toContain(
      "The call to openai was not sent: the price of my-own is not known, and the cost of a run is limited to $1.00.",
    );
    expect(errors).toContain("Give its price with --prices FILE");
    expect(errors).toContain("--allow-unknown-prices");
  });

  it.each([
    ["its price is given", [...limited, "--prices", "prices.json"]],
    ["unknown prices are allowed", [...limited, "--allow-unknown-prices"]],
    ["only calls are limited", [...away, "--max-calls", "5"]],
  ])("is sent if %s", async (_, options) => {
    expect((await posted(options, CHAT)).statuses).toEqual([502]);
  });

  it("is what may cost more than is known", async () => {
    const calls = [
      [402, '/batches {"endpoint":"/v1/responses"}'],
      [402, '/fine_tuning/jobs {"model":"gpt-4o","training_file":"f"}'],
      [502, '/new-things {"model":"gpt-4o"}'],
      [402, '/new-things {"model":"my-own"}'],
      [502, "/models"],
      [502, '/responses/input_tokens {"model":"my-own","input":"hi"}'],
      [502, '/embeddings {"model":"text-embedding-3-small","input":"hi"}'],
    ] as const;

    const { statuses } = await posted(limited, ...calls.map(([, call]) => call));

    expect(statuses).toEqual(calls.map(([status]) => status));
  });

  it("is free on this machine", async () => {
    const { options, requests } = await aMediaServer();

    const { statuses } = await posted([...options, "--max-cost", "1"], PAINT);

    expect([statuses, requests.length]).toEqual([[200], 1]);
  });

  it("is not allowed without a limit of cost", async () => {
    const { code, stderr } = await tapedeck(["run", "--allow-unknown-prices", "--", "true"], {
      cwd: aProject(),
    });

    expect([code, stderr]).toEqual([2, expect.stringContaining("has no effect without --max-cost")]);
  });
});
