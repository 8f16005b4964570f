import { describe, expect, it } from "vitest";
import { aServer } from "../support/a-server.ts";
import { aProject, tapedeck } from "./tapedeck.ts";

/** Sends each argument, a path and perhaps a JSON body, and prints the status and the reply. */
const SENDING = `for (const argument of process.argv.slice(2)) {
  const [path, body] = argument.split(" ");
  const headers = { "content-type": "application/json" };
  const reply = await fetch(process.env.OPENAI_BASE_URL + path, body && { method: "POST", headers, body });
  console.log(reply.status, await reply.text());
}`;

/** Makes calls, each a path and a JSON body, in a run with these options. */
async function sent(options: readonly string[], ...calls: readonly string[]) {
  const cwd = aProject({
    "prices.json": '{ "my-painter": { "image": 0.25 }, "my-own": { "input": 1, "output": 2 } }',
    "send.mjs": SENDING,
  });
  const args = ["run", "--mode", "live", ...options, "--", process.execPath, "send.mjs", ...calls];
  const { stdout, stderr } = await tapedeck(args, { cwd });
  return { cwd, stdout, stderr, statuses: [...stdout.matchAll(/^\d{3}/gm)].map(Number) };
}

const PAINT = '/images/generations {"model":"my-painter","prompt":"a_cat","n":2}';
const CHAT = '/chat/completions {"model":"my-own","messages":[{"role":"user","content":"hi"}]}';
const POLL = "/responses/resp_1";

/** Answers like OpenAI: sound, two images, a video, and a response that is completed at the second poll. */
async function aMediaServer() {
  const requests: string[] = [];
  let polls = 0;
  const response = { id: "resp_1", object: "response", model: "gpt-5", output: [] };
  const usage = { input_tokens: 1_000, output_tokens: 2_000, total_tokens: 3_000 };
  const origin = await aServer((request, reply) => {
    const path = request.url ?? "";
    requests.push(path);
    request.resume();
    if (path.endsWith("/speech")) return reply.writeHead(200, { "content-type": "audio/mpeg" }).end("sound");
    const isDone = request.method === "GET" && (polls += 1) > 1;
    const value = path.endsWith("/generations")
      ? { data: [{ b64_json: "AA==" }, { b64_json: "AA==" }] }
      : path.endsWith("/videos")
        ? { id: "video_1", object: "video", status: "queued", seconds: "8", model: "sora-2" }
        : { ...response, status: isDone ? "completed" : "queued", usage: isDone ? usage : null };
    return reply.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
  });
  return { requests, options: ["--upstream", `openai=${origin}`, "--prices", "prices.json"] };
}

it("the cost of a call is that of its characters, seconds, images, or of its completed poll, in the run and in the list", async () => {
  const { options } = await aMediaServer();

  const { cwd, stderr } = await sent(
    ["--mode", "record", ...options],
    '/audio/speech {"model":"tts-1","input":"hello","voice":"alloy"}',
    PAINT,
    '/videos {"prompt":"a_cat"}',
    '/fine_tuning/jobs {"model":"gpt-4o","training_file":"f"}',
    '/responses {"model":"gpt-5","input":"hello","background":true}',
    ...Array.from({ length: 4 }, () => POLL),
  );
  const list = await tapedeck(["list", "--prices", "prices.json", "--json"], { cwd });

  expect(stderr).toContain("Spent: 9 calls, about 3,000 tokens, about $1.32, 1 of unknown price.");
  const costs = (JSON.parse(list.stdout) as { operation: string; costUsd: number }[]).map(
    ({ operation, costUsd }) => [operation, costUsd],
  );
  expect(Object.fromEntries(costs)).toMatchObject({
    "audio.speech": expect.closeTo(0.000_075, 9),
    "images.generations": 0.5,
    "videos.create": 0.8,
  });
});

it("a limit of cost stops calls by what images cost, and by what a background response may use until a poll", async () => {
  const { options, requests } = await aMediaServer();
  const create = (input: string) =>
    `/responses {"model":"gpt-5","input":"${input}","background":true,"max_output_tokens":100000}`;

  const painted = await sent([...options, "--max-cost", "0.5"], PAINT, PAINT.replace("cat", "dog"));
  const polled = await sent(
    [...options, "--max-cost", "1"],
    create("a"),
    create("b"),
    POLL,
    POLL,
    create("c"),
  );

  expect([painted.statuses, polled.statuses, requests.length]).toEqual([
    [200, 402],
    [200, 402, 200, 200, 200],
    5,
  ]);
});

describe("a call of unknown price, under a limit of cost", () => {
  // A private name that does not exist: the call is not free, and cannot be sent.
  const away = ["openai", "vercel"].flatMap((name) => ["--upstream", `${name}=http://nowhere.internal:9`]);
  const limited = [...away, "--max-cost", "1"];

  it("is what may cost more than is known; it is not sent, and the error names the ways out", async () => {
    const calls = [
      [402, CHAT],
      [402, PAINT],
      [402, '/batches {"endpoint":"/v1/responses"}'],
      [402, '/fine_tuning/jobs {"model":"gpt-4o","training_file":"f"}'],
      [404, '/new-things {"model":"gpt-4o"}'],
      [402, '/new-things {"model":"my-own"}'],
      [402, '/../../vercel/v4/ai/language-model {"prompt":[]}'],
      [404, "/../../vercel/v4/ai/config"],
      [404, "/models"],
      [404, '/responses/input_tokens {"model":"my-own","input":"hi"}'],
      [404, '/embeddings {"model":"text-embedding-3-small","input":"hi"}'],
    ] as const;

    const { statuses, stdout } = await sent(limited, ...calls.map(([, call]) => call));

    expect(statuses).toEqual(calls.map(([status]) => status));
    expect(stdout).toContain(
      "The call to openai was not sent: the price of my-own is not known, and the cost of a run is limited to $1.00.",
    );
    expect(stdout).toContain("Give its price with --prices FILE");
    expect(stdout).toContain("--allow-unknown-prices");
  });

  it.each([
    ["its price is given", [...limited, "--prices", "prices.json"]],
    ["unknown prices are allowed", [...limited, "--allow-unknown-prices"]],
    ["only calls are limited", [...away, "--max-calls", "5"]],
  ])("is sent if %s", async (_, options) => {
    expect((await sent(options, CHAT)).statuses).toEqual([404]);
  });

  it("is free on this machine", async () => {
    const { options } = await aMediaServer();

    expect((await sent([...options.slice(0, 2), "--max-cost", "1"], PAINT)).statuses).toEqual([200]);
  });

  it("is not allowed without a limit of cost", async () => {
    const { code, stderr } = await tapedeck(["run", "--allow-unknown-prices", "--", "true"], {
      cwd: aProject(),
    });

    expect([code, stderr]).toEqual([2, expect.stringContaining("has no effect without --max-cost")]);
  });
});
