import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, it, onTestFinished } from "vitest";
import { casesOf } from "../support/cases.ts";
import { aProject, serving } from "./tapedeck.ts";
import { tapedeckProcess } from "./a-process.ts";

const BODY = '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"hi"}]}';
const ADDRESS = "https://api.openai.com/v1/chat/completions";

/** Programs with the address in their code and without our hooks; each prints the status that it got. */
const programs: readonly {
  readonly name: string;
  readonly needs: string;
  readonly file: string;
  readonly text: string;
  readonly command: readonly string[];
  readonly compiles: boolean;
}[] = [
  {
    name: "curl",
    needs: "curl",
    file: "call.sh",
    text: `curl -sS -o answer.json -w '%{http_code}' -H 'content-type: application/json' -d '${BODY}' ${ADDRESS}`,
    command: ["sh", "call.sh"],
    compiles: false,
  },
  {
    name: "Python's urllib",
    needs: "python3",
    file: "call.py",
    text: [
      "import urllib.request as u",
      `r = u.Request(${JSON.stringify(ADDRESS)}, data=b'${BODY}', headers={'content-type': 'application/json'})`,
      "print(u.urlopen(r).status)",
    ].join("\n"),
    command: ["python3", "-S", "-I", "call.py"],
    compiles: false,
  },
  {
    name: "Go's net/http",
    needs: "go",
    file: "call.go",
    text: [
      'package main\nimport ("fmt"; "net/http"; "strings")\nfunc main() {',
      `r, e := http.Post(${JSON.stringify(ADDRESS)}, "application/json", strings.NewReader(${JSON.stringify(BODY)}))`,
      "if e != nil { panic(e) }\nfmt.Println(r.StatusCode)\n}",
    ].join("\n"),
    command: ["go", "run", "call.go"],
    compiles: true,
  },
  {
    name: "Java's HttpClient",
    needs: "java",
    file: "Call.java",
    text: [
      "import java.net.URI; import java.net.http.*;",
      "public class Call { public static void main(String[] a) throws Exception {",
      `var r = HttpRequest.newBuilder(URI.create(${JSON.stringify(ADDRESS)})).header("content-type", "application/json")`,
      `.POST(HttpRequest.BodyPublishers.ofString(${JSON.stringify(BODY)})).build();`,
      "System.out.println(HttpClient.newHttpClient().send(r, HttpResponse.BodyHandlers.ofString()).statusCode()); } }",
    ].join("\n"),
    command: ["java", "Call.java"],
    compiles: false,
  },
];

const isThere = (program: string): boolean =>
  spawnSync(program, [program === "go" ? "version" : "--version"]).error === undefined;

const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

describe("run --proxy", () => {
  // Compilers take their time.
  it.for(programs)("answers $name, which no variable leads here", async (program, { skip }) => {
    skip(
      casesOf({ quick: 1, long: 2 }) === 1 && program.compiles,
      "it compiles for a minute: npm run test:long",
    );
    skip(!isThere(program.needs), `${program.needs} is not here: install it`);
    const cwd = aProject({ [program.file]: program.text });
    const env = { HOME: cwd, GOCACHE: `${cwd}/go`, GOFLAGS: "-mod=mod" };

    const { code, stdout, stderr } = await tapedeckProcess(
      ["run", "--proxy", "--mode", "lenient", "--", ...program.command],
      { cwd, env },
    );

    expect({ code, status: stdout.trim(), stderr }).toEqual({
      code: 0,
      status: "200",
      stderr: expect.stringContaining("1 mocked") as unknown,
    });
  });

  it.skipIf(outside === undefined || !isThere("curl"))(
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
    await served.end();

    expect(env["HTTPS_PROXY"]).toMatch(/^http:\/\/tapedeck:[^@]+@127\.0\.0\.1:\d+$/);
    expect(env["https_proxy"]).toBe(env["HTTPS_PROXY"]);
    expect(env["NO_PROXY"]).toBe("127.0.0.1,localhost,::1");
    expect(modes).toEqual([0o600, 0o600, 0o600, 0o600]);
    expect(files.filter((file) => existsSync(file))).toEqual([]);
  });
});
