#!/usr/bin/env node
import process from "node:process";
import { main } from "./main.ts";
import { flush, processTerminal } from "./terminal.ts";

const code = await main(process.argv.slice(2), processTerminal());
await flush();
// Whatever is still open (watchers, idle connections) is of no more use.
process.exit(code);
