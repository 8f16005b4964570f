/** The library: a deck in your own process, the engine as a `fetch`, and the words that they share. */
export type { Deck, Notice } from "./deck/deck.ts";
export { openLibraryDeck as openDeck } from "./deck/library-deck.ts";
export type { DeckOptions } from "./deck/deck-options.ts";
export { remoteOfEnvironment, type RemoteToRead } from "./deck/team.ts";
export { explain, isTapedeckError, type TapedeckError, type TapedeckErrorCode } from "./core/base/errors.ts";
export { MODES } from "./core/call/call.ts";
export type {
  CallEvent,
  Difference,
  Disposable,
  Key,
  Miss,
  Mode,
  Nearest,
  Outcome,
  Run,
  TestRef,
} from "./core/call/call.ts";
export type { Recording, RecordingAddress } from "./core/cassette/recording.ts";
export type { PlannedFault, ScriptedReply } from "./core/call/mocks.ts";
export {
  createResponseCache,
  memoryCache,
  type ResponseCache,
} from "./systems/metagpt/cache/response-cache.ts";
export { rspCacheFile, type RspCacheFileOptions } from "./systems/metagpt/cache/rsp-cache-file.ts";
export { rspCacheFolder } from "./systems/metagpt/cache/rsp-cache-folder.ts";
export type { CassetteStore } from "./core/cassette/store.ts";
export { createMemoryStore } from "./storage/memory-store.ts";
export type { Admission } from "./server/guard/guard.ts";
export type { ReplayServer } from "./server/server.ts";
