import type { Connection } from "../connection.ts";

/** As much of the official client as is used; an `Ollama` of your own fits. */
export interface OllamaSdk {
  chat(request: object): Promise<unknown>;
}

export interface OllamaConnection extends Connection {
  /** E.g. `http://127.0.0.1:11434`, also what OLLAMA_HOST says. */
  readonly host?: string;
  /** Used as it is: give it the engine's fetch yourself. It knows no signals for answers that come whole. */
  readonly client?: OllamaSdk;
}
