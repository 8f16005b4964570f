import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { aProject, serving } from "./tapedeck.ts";
import { tapedeckProcess } from "./a-process.ts";

const BODY = '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"hi"}]}';
const hasCurl = spawnSync("curl", ["--version"]).error === undefined;

const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

/** `test/runners/languages.test.ts` has programs in other languages, `clients.test.ts` beside it their SDKs. */
describe("run --proxy", () => {
  it.skipIf(outside === undefined || !hasCurl)(
    "answers calls to models that another host is asked in the clear, and names what it cannot read (needs a network, and curl: install it)",
    async () => {
      const gateway = createServer((socket) => {
        reached += 1;
        socket.on("error", () => {});
        socket.destroy();
      });
      let reached = 0;
      await once(gateway.listen(0, outside), "listening");
      onTestFinished(() => void gateway.close());
      const place = `${outside}:${(gateway.address() as AddressInfo).port}`;
      const curl = `curl -sk -o answer -w '%{http_code}\\n' -H 'content-type: application/json'`;
      const text = [
        `${curl} -d '${BODY}' http://${place}/v1/chat/completions`,
        `${curl} --proxytunnel -d '${BODY}' http://${place}/v1/chat/completions`,
        `${curl} https://${place}/v1/models`,
        "exit 0",
      ].join("\n");
      const cwd = aProject({ "call.sh": text });

      const open = await tapedeckProcess(["run", "--proxy", "--", "sh", "call.sh"], { cwd });
      const before = reached;
      const blocked = await tapedeckProcess(["run", "--proxy", "--block-network", "--", "sh", "call.sh"], {
        cwd,
      });

      expect(open.stdout).toBe("404\n404\n000\n");
      expect(open.stderr).toContain("2 missing");
      expect(open.stderr).toContain(`1 connection to ${place} passed the proxy unread`);
      expect(blocked.stderr).toContain(`connection to ${place} refused (--block-network)`);
      expect(reached).toBe(before);
      expect([open.code, blocked.code]).toEqual([3, 3]);
    },
  );

  it("sets the variables that programs read, is trusted only during the run, and leaves no file", async () => {
    const cwd = aProject({});
    const served = await serving(["--proxy"], { cwd });
    const { env } = served.ready;
    const named = ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"];
    const files = named.map((name) => env[name] ?? "");
    const modes = files.map((file) => statSync(file).mode & 0o777);
    const folder = dirname(files[0] ?? "");
    const settings = readFileSync(join(folder, "tapedeck.ini"), "utf8");
    await served.end();

    expect(env["HTTPS_PROXY"]).toMatch(/^http:\/\/tapedeck:[^@]+@127\.0\.0\.1:\d+$/);
    expect(env["https_proxy"]).toBe(env["HTTPS_PROXY"]);
    expect(env["NO_PROXY"]).toBe("127.0.0.1,localhost,::1");
    expect(env["PHP_INI_SCAN_DIR"]).toBe(`${delimiter}${folder}`);
    expect(settings).toContain(`curl.cainfo="${files[0]}"`);
    expect(modes).toEqual([0o600, 0o600, 0o600, 0o600]);
    expect(files.filter((file) => existsSync(file))).toEqual([]);
  });
});
