import { onTestFinished } from "vitest";

/** Has the code under test take this machine for another one until the test ends. */
export function asPlatform(platform: NodeJS.Platform): void {
  const own = Object.getOwnPropertyDescriptor(process, "platform") ?? {};
  Object.defineProperty(process, "platform", { ...own, value: platform });
  onTestFinished(() => void Object.defineProperty(process, "platform", own));
}
