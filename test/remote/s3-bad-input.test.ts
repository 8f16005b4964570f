import { createServer } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { S3Address } from "../../src/remote/address/remote-address.ts";
import { explain } from "../../src/core/errors.ts";
import { faultOf } from "../../src/remote/failures.ts";
import type { OpenOptions } from "../../src/remote/remote-store.ts";
import { openRemote } from "../../src/remote/open-remote.ts";
import { listening } from "./a-listener.ts";
import { never, openFor } from "./a-remote.ts";
import { aProxyTo, aScriptedS3, type ScriptedReply } from "./a-scripted-s3.ts";
import { programOf, s3At, startVersity, titleOf, type RunningServer } from "./servers.ts";

/** What is said where it cannot be opened, with its fault before it. */
const said = (address: S3Address, more: Partial<OpenOptions> = {}): Promise<string> =>
  openRemote(address, { write: true, signal: never, ...more }).then(
    () => "it was opened",
    (error: unknown) => `${faultOf(error)}: ${explain(error)}`,
  );

describe.skipIf(programOf("versitygw") === undefined)(`${titleOf("versitygw")}, asked wrongly:`, () => {
  let server: RunningServer;
  beforeAll(async () => void (server = await startVersity()));
  afterAll(() => server?.stop());
  afterEach(() => void vi.useRealTimers());

  it("a bucket that is not there", async () => {
    expect(await said(s3At(server.port, { bucket: "nobody" }))).toBe(
      "wrong: The remote s3://team has no such bucket. Make the bucket, or correct its name, region or endpoint.",
    );
  });

  it("credentials that nobody knows, and a secret that is another's", async () => {
    const { credentials } = s3At(server.port);
    const [unknown, wrong] = await Promise.all([
      said(s3At(server.port, { credentials: { ...credentials, accessKeyId: "nobody" } })),
      said(s3At(server.port, { credentials: { ...credentials, secretAccessKey: "guessed" } })),
    ]);

    expect(unknown).toContain(
      "wrong: The remote s3://team does not know these credentials. Check the access key id",
    );
    expect(wrong).toContain("wrong: The remote s3://team says that the signature is wrong");
    expect(wrong).not.toContain("guessed");
  });

  it("another region than the bucket's", async () => {
    expect(await said(s3At(server.port, { region: "eu-central-1" }))).toBe(
      "wrong: The remote s3://team is in another region: us-east-1. Write region=us-east-1 in its address.",
    );
  });

  it.each([
    ["ahead", 3_600_000],
    ["behind", -3_600_000],
  ])("a clock that is an hour %s", async (how, byMs) => {
    const real = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now: real + byMs });

    expect(await said(s3At(server.port))).toMatch(
      new RegExp(
        `^wrong: The remote s3://team says that the clock of this machine is wrong: it is (?:59|60) minutes ${how}\\.`,
      ),
    );
  });
});

describe("a server that speaks S3, in its way:", () => {
  const opened = async (answer: (isProbe: boolean) => ScriptedReply | undefined) => {
    const { address, asked } = await aScriptedS3(({ method }) => answer(method === "PUT"));
    return { remote: await openFor("write", address), asked };
  };

  it("one that takes no notice of If-None-Match is only read from, and that is said", async () => {
    const { remote } = await opened((isPut) => (isPut ? { status: 200 } : undefined));

    expect(remote.access).toEqual({
      mayWrite: false,
      why: "the server takes no notice of If-None-Match, so that two writers could replace each other's recordings",
    });
    await expect(remote.add("trusted/a", Buffer.from("a"), never)).rejects.toThrow(
      "takes no notice of If-None-Match",
    );
  });

  it("one that does not know it is only read from", async () => {
    const { remote } = await opened((isPut) => (isPut ? { status: 501, code: "NotImplemented" } : undefined));

    expect(remote.access).toMatchObject({ mayWrite: false });
  });

  it("credentials that only read are noticed at the start", async () => {
    const { remote } = await opened((isPut) => (isPut ? { status: 403, code: "AccessDenied" } : undefined));

    expect(remote.access).toEqual({ mayWrite: false, why: "its credentials may not put objects there" });
  });

  it("opened for reading, nothing is put there to find anything out", async () => {
    const { address, asked } = await aScriptedS3(() => undefined);
    await openFor("read", address);

    expect(asked.map(({ method }) => method)).toEqual(["GET"]);
  });

  it("the probe is put once, and then it is refused", async () => {
    let puts = 0;
    const { remote } = await opened((isPut) => {
      if (isPut) puts += 1;
      return isPut && puts === 1 ? { status: 200 } : undefined;
    });

    expect(remote.access).toEqual({ mayWrite: true });
    expect(puts).toBe(2);
  });

  it.each<readonly [string, ScriptedReply]>([
    [
      "wrong: The remote s3://team denies access. Reading takes s3:GetObject and s3:ListBucket",
      { status: 403, code: "AccessDenied" },
    ],
    ["wrong: The remote s3://team denies access.", { status: 403 }],
    [
      "wrong: The remote s3://team says that the credentials have expired. Get new ones",
      { status: 400, code: "ExpiredToken" },
    ],
    [
      "wrong: The remote s3://team is in another region: eu-west-1. Write region=eu-west-1",
      { status: 301, code: "PermanentRedirect", headers: { "x-amz-bucket-region": "eu-west-1" } },
    ],
    [
      "wrong: The remote s3://team leads elsewhere, and no redirect is followed.",
      { status: 302, headers: { location: "http://127.0.0.1:1/" } },
    ],
    [
      "wrong: The remote s3://team does not answer as S3 does. Check its endpoint",
      { status: 200, body: "<html>Welcome</html>" },
    ],
    [
      "wrong: The remote s3://team answers with status 404. Check that its endpoint speaks S3",
      { status: 404, body: "not here" },
    ],
    [
      "down: The remote s3://team could not be reached: it answers with status 503 (SlowDown).",
      { status: 503, code: "SlowDown" },
    ],
  ])("%s", async (expected, reply) => {
    const { address } = await aScriptedS3(() => reply);

    expect(await said(address)).toContain(expected);
  });

  it("an object is only said to be absent where the server says so of the object", async () => {
    const replies: Record<string, ScriptedReply> = {
      a: { status: 404, code: "NoSuchKey" },
      b: { status: 404 },
      c: { status: 404, code: "NoSuchBucket" },
      d: { status: 404, code: "XAdminUserNotFound" },
    };
    const { address } = await aScriptedS3(({ url = "" }) => replies[url.at(-1) ?? ""]);
    const remote = await openFor("read", address);

    expect(await remote.get("trusted/a", never)).toBeUndefined();
    expect(await remote.get("trusted/b", never)).toBeUndefined();
    await expect(remote.get("trusted/c", never)).rejects.toThrow("has no such bucket");
    await expect(remote.get("trusted/d", never)).rejects.toThrow("does not know these credentials");
  });

  it("one that is full says so of what is added, and is read on", async () => {
    let isFull = false;
    const { remote } = await opened((isPut) =>
      isPut && isFull
        ? { status: 507, code: "XMinioStorageFull" }
        : isFull
          ? { status: 200, body: "there" }
          : undefined,
    );
    isFull = true;

    const failure: unknown = await remote
      .add("trusted/a", Buffer.from("a"), never)
      .catch((error: unknown) => error);
    expect(faultOf(failure)).toBe("full");
    expect(explain(failure)).toContain("takes no more: XMinioStorageFull. What is local is used meanwhile");
    expect(Buffer.from((await remote.get("trusted/a", never)) ?? "").toString()).toBe("there");
  });

  it("one that has too much to do for a moment is asked again", async () => {
    let busy = 2;
    const { remote, asked } = await opened((isPut) => {
      if (isPut || busy === 2) return undefined;
      busy -= 1;
      return busy >= 0 ? { status: 503, code: "SlowDown" } : { status: 200, body: "there" };
    });
    busy = 1;
    const before = asked.length;

    expect(Buffer.from((await remote.get("trusted/a", never)) ?? "").toString()).toBe("there");
    expect(asked.length - before).toBe(2);
  });

  it("one that closes a kept connection when it is used again is asked once more", async () => {
    const used = new Set<unknown>();
    const { address, asked } = await aScriptedS3(({ socket }) => {
      if (used.has(socket)) socket.destroy();
      used.add(socket);
      return undefined;
    });
    const remote = await openFor("read", address);

    await remote.get("trusted/a", never);

    expect(asked).toHaveLength(3);
    expect(used.size).toBe(2);
  });

  it("that keeps silent when TLS begins, or hangs up when it does not, may speak the other", async () => {
    const limits = { firstMs: 150, leastMs: 150, mostMs: 150 };
    const [silent, hangingUp] = await Promise.all([
      listening(createServer(() => {})),
      listening(createServer((socket) => void socket.once("data", () => socket.destroy()))),
    ]);

    expect(await said(s3At(silent, { endpoint: `https://127.0.0.1:${silent}` }), { limits })).toBe(
      "slow: The remote s3://team keeps silent. Check host and port. Where it speaks no TLS, write http:// for https://.",
    );
    expect(await said(s3At(hangingUp))).toBe(
      "down: The remote s3://team closed the connection at once. Check host and port. Where it speaks TLS, write https:// for http://.",
    );
  });

  it("a list that does not go on ends with a failure", async () => {
    const body =
      "<ListBucketResult><Contents><Key>x/trusted/a</Key></Contents><IsTruncated>true</IsTruncated><NextContinuationToken>same</NextContinuationToken></ListBucketResult>";
    const { address } = await aScriptedS3(() => ({ status: 200, body }));
    const remote = await openFor("read", { ...address, prefix: "x/" });

    const names = (async () => {
      for await (const page of remote.list("", never)) expect(page).toEqual(["trusted/a"]);
    })();

    await expect(names).rejects.toThrow("its list does not go on");
  });

  it("sends a session's token, and signs it", async () => {
    const { address, asked } = await aScriptedS3(() => undefined);
    await openFor("read", {
      ...address,
      credentials: { ...address.credentials, sessionToken: "of-the-session" },
    });

    expect(asked[0]?.headers["x-amz-security-token"]).toBe("of-the-session");
    expect(asked[0]?.headers.authorization).toMatch(/SignedHeaders=[^,]*x-amz-security-token/);
  });

  it("asks the bucket's own host where that is its style, through the proxy that the environment names", async () => {
    const { address, asked } = await aScriptedS3(() => undefined);
    const proxy = await aProxyTo(Number(new URL(address.endpoint).port));
    vi.stubEnv("HTTP_PROXY", `http://127.0.0.1:${proxy.port}`);
    vi.stubEnv("http_proxy", `http://127.0.0.1:${proxy.port}`);
    onTestFinished(() => void vi.unstubAllEnvs());

    const remote = await openFor("read", { ...address, endpoint: "http://s3.tapedeck.test", style: "host" });

    expect(proxy.connected).toEqual(["team.s3.tapedeck.test:80"]);
    expect(asked.map(({ headers, url }) => [headers.host, url?.slice(0, 2)])).toEqual([
      ["team.s3.tapedeck.test", "/?"],
    ]);
    expect(remote.notes.join()).toContain("The connection to s3://team is not encrypted");
  });

  it("renews what is old where the bucket's rules remove it, by a copy onto itself", async () => {
    const old = new Date(Date.now() - 20 * 86_400_000).toUTCString();
    const { address, asked } = await aScriptedS3(({ url = "" }) =>
      url.includes("/trusted/")
        ? { status: 200, body: "bytes", headers: { etag: '"e"', "last-modified": old } }
        : undefined,
    );
    const remote = await openFor("write", { ...address, expireSeconds: 30 * 86_400 });

    await remote.touch("trusted/a", never);
    await remote.get("trusted/a", never);
    await remote.touch("trusted/a", never);
    await remote.touch("trusted/a", never);

    const copies = asked.filter(({ headers }) => headers["x-amz-copy-source"] !== undefined);
    expect(
      copies.map(({ url, headers }) => [
        url,
        headers["x-amz-copy-source"],
        headers["x-amz-copy-source-if-match"],
      ]),
    ).toEqual([[`/team/${address.prefix}trusted/a`, `/team/${address.prefix}trusted/a`, '"e"']]);
  });
});
