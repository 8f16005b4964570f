import { invalid } from "../errors.ts";
import { textOf } from "../message.ts";
import { functionClient, type MockClient, type MockOptions } from "./mock-client.ts";

/** Answers with the text of the last message, which must be the user's. */
export function echoClient(options: MockOptions = {}): MockClient {
  return functionClient(
    ({ messages }) => {
      const last = messages.at(-1);
      if (last?.role !== "user") {
        const where = `messages[${messages.length - 1}]`;
        throw invalid(
          where,
          `an echo needs the user's message last, and this one is the ${String(last?.role)}'s`,
        );
      }
      return textOf(last);
    },
    { provider: "echo", model: "echo", ...options },
  );
}
