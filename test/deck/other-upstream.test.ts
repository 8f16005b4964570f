import { expect, it } from "vitest";
import { openDeck } from "../../src/deck/deck.ts";
import { anUpstream } from "../cli/an-upstream.ts";
import { aProject, chatOf, nextCall } from "./a-project.ts";

const HI = chatOf(["Say hi"]);
const BYE = chatOf(["Say bye"]);

it("a call to another address than that of the recordings is refused before it is sent, and named", async () => {
  const gateway = await anUpstream();
  const project = aProject({ upstreams: { openai: gateway.origin } });
  await project.ask(HI, { mode: "record" });
  const later = openDeck({ dir: project.dir, beforePaidCall: async () => undefined });
  const server = await later.listen();
  const { url } = server.admit(later.createRun("record"));
  const event = nextCall(later);

  await fetch(`${url}/openai/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer sk-mine" },
    body: JSON.stringify(BYE),
  });

  const { outcome, reason, hint } = await event;
  expect(outcome).toBe("refused");
  expect(reason).toContain(`came from ${gateway.origin}, but this call would go to https://api.openai.com`);
  expect(hint).toContain(`--upstream openai=${gateway.origin}`);
  await later.close();
});

it("an address with the version of the API at its end works like a base URL", async () => {
  const gateway = await anUpstream();
  const project = aProject({ upstreams: { openai: `${gateway.origin}/v1` } });
  const server = await project.deck.listen();
  const { url } = server.admit(project.deck.createRun("record"));

  await fetch(`${url}/openai/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(HI),
  });

  expect(gateway.requests).toEqual(["POST /v1/chat/completions"]);
});
