import { expect, it } from "vitest";
import { aStatefulServer } from "../support/a-stateful-provider.ts";
import { aProject, serving, tapedeck } from "./tapedeck.ts";

type Fields = Readonly<Record<string, unknown>>;

async function aProvider() {
  const provider = await aStatefulServer();
  return { ...provider, options: ["--upstream", `openai=${provider.origin}`] };
}

/** Asks two questions, the second after the first, through a server without hooks. */
async function askTwo(cwd: string, mode: string, second: string, more: readonly string[] = []) {
  const served = await serving(["--mode", mode, "--log", "json", ...more], { cwd });
  const ask = async (body: object): Promise<{ readonly outcome: string | null; readonly fields: Fields }> => {
    const reply = await fetch(`${served.ready.env["OPENAI_BASE_URL"]}/responses`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer sk-test-0123456789" },
      body: JSON.stringify({ model: "gpt-5-mini", ...body }),
    });
    return { outcome: reply.headers.get("x-tapedeck-outcome"), fields: (await reply.json()) as Fields };
  };
  const one = await ask({ input: "one" });
  const two = await ask({ input: second, previous_response_id: one.fields["id"] });
  const { stderr } = await served.end();
  return {
    outcomes: [one.outcome, two.outcome],
    said: JSON.stringify(two.fields["output"] ?? two.fields),
    stderr,
  };
}

it("records a chain again from its root whose ids the provider forgot, and reports it before", async () => {
  const provider = await aProvider();
  const cwd = aProject();
  await askTwo(cwd, "record", "two", provider.options);
  provider.forget();
  const renew = (...more: readonly string[]) => askTwo(cwd, "record", "TWO", [...provider.options, ...more]);

  const limited = await renew("--max-calls", "1");
  expect(limited.outcomes).toEqual(["replayed", "refused"]);
  expect(limited.said).toMatch(/1 earlier call of its chain is made again.*the limit of 1 call per run/s);
  expect(provider.paid).toEqual(["one", "two"]);

  const edited = await renew();
  expect(edited.outcomes).toEqual(["replayed", "recorded"]);
  expect(edited.stderr).toContain('To record "TWO", 1 earlier call of its chain is made again');
  expect(provider.paid).toEqual(["one", "two", "one", "TWO"]);

  for (const text of ["TWO", "two"]) {
    const replayed = await askTwo(cwd, "strict", text);
    expect(replayed.outcomes).toEqual(["replayed", "replayed"]);
    expect(replayed.said).toContain(`one | ${text}`);
  }
  expect((await tapedeck(["check"], { cwd })).code).toBe(0);
});

it("tries the old id first with --keep-chain", async () => {
  const provider = await aProvider();
  const cwd = aProject();
  await askTwo(cwd, "record", "two", provider.options);

  const kept = await askTwo(cwd, "record", "TWO", [...provider.options, "--keep-chain"]);

  expect(kept.stderr).not.toContain("made again");
  expect(provider.paid).toEqual(["one", "two", "TWO"]);
});
