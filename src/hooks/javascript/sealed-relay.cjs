// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * Runs alone in a separate network namespace. Forwards connections to the replay server's port there
 * to the server's Unix socket. The namespace exists as long as this process's standard input is open.
 */
const net = require("node:net");

const [port, path] = process.argv.slice(2);

const server = net.createServer({ allowHalfOpen: true }, (client) => {
  const onward = net.connect({ path, allowHalfOpen: true });
  client.pipe(onward).pipe(client);
  for (const [one, other] of [
    [client, onward],
    [onward, client],
  ])
    one.on("error", () => {}).once("close", () => other.destroy());
});
server.on("error", (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
server.listen(Number(port), "127.0.0.1", 4_096, () => process.stdout.write("ready\n"));
// Signals of a terminal are for the command, which may take its time to end.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) process.on(signal, () => {});
process.stdin.on("end", () => process.exit()).resume();
