import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { aProject, tapedeck } from "../cli/tapedeck.ts";
import { hasPython, NEEDS_PYTHON } from "../support/python.ts";

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

/** A project with a certificate for `localhost` in a bundle as large as those of clients. */
function aProjectWithBundle(program: string): string {
  const cwd = aProject({ "ask.py": program });
  const [key, bundle] = [join(cwd, "key.pem"), join(cwd, "bundle.pem")];
  const kind = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"];
  const name = ["-addext", "subjectAltName=DNS:localhost"];
  execFileSync("openssl", [...kind, ...name, "-keyout", key, "-out", bundle], { stdio: "ignore" });
  appendFileSync(bundle, "# another certificate\n".repeat(4_000));
  return cwd;
}

const SERVER = `import socket, ssl, threading
def serve():
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain("bundle.pem", "key.pem")
    listener = socket.create_server(("127.0.0.1", 0))
    def answer():
        while True:
            try: server.wrap_socket(listener.accept()[0], server_side=True).sendall(b"hello")
            except OSError: pass
    threading.Thread(target=answer, daemon=True).start()
    return listener.getsockname()
def ask(context, place):
    with context.wrap_socket(socket.create_connection(place), server_hostname="localhost") as secure:
        return secure.recv(5).decode()
`;

describe.skipIf(!hasPython || !hasOpenssl)(
  `certificates that Python has read before ${NEEDS_PYTHON}, and openssl`,
  () => {
    test.runIf(process.platform === "linux")(
      "are not read for contexts without TLS (needs Linux)",
      async () => {
        const cwd = aProjectWithBundle(`import ssl
def read():
    with open("/proc/self/io") as counts: return int(counts.readline().split()[1])
for folder in (None, None, "."):
    before = read()
    ssl.create_default_context(cafile="bundle.pem", capath=folder)
    print(read() - before > 80_000)
`);

        const { stdout } = await tapedeck(["run", "--", "python3", "ask.py"], { cwd });

        expect(stdout).toBe("True\nFalse\nFalse\n");
      },
    );

    test("are trusted by each context, from each thread", async () => {
      const cwd = aProjectWithBundle(`${SERVER}
from concurrent.futures import ThreadPoolExecutor
place = serve()
first, second, third = [ssl.create_default_context(cafile="bundle.pem", capath=at) for at in (None, ".", None)]
with ThreadPoolExecutor(8) as threads:
    print(set(threads.map(lambda context: ask(context, place), [first, second, second, second, second])))
print(third.cert_store_stats()["x509"], len(third.get_ca_certs()))
`);

      const { stdout } = await tapedeck(["run", "--", "python3", "ask.py"], { cwd });

      expect(stdout).toBe("{'hello'}\n1 1\n");
    });

    test("are read again if the bundle has changed", async () => {
      const cwd = aProjectWithBundle(`import ssl
ssl.create_default_context(cafile="bundle.pem")
with open("bundle.pem", "w") as bundle: bundle.write("nothing\\n" * 10_000)
try: ssl.create_default_context(cafile="bundle.pem")
except ssl.SSLError as error: print(error.reason)
`);

      const { stdout } = await tapedeck(["run", "--", "python3", "ask.py"], { cwd });

      expect(stdout).toBe("NO_CERTIFICATE_OR_CRL_FOUND\n");
    });
  },
);
