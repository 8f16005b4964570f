import { openaiBatches } from "./batches/protocol.ts";
import { openaiChat } from "./chat/protocol.ts";
import { openaiCompletions } from "./completions/protocol.ts";
import { openaiConversations } from "./conversations/protocol.ts";
import { openaiEmbeddings } from "./embeddings/protocol.ts";
import { openaiImages } from "./images/protocol.ts";
import { openaiListening } from "./audio/listening.ts";
import { openaiModerations } from "./moderations/protocol.ts";
import { openaiResponseById, openaiResponses } from "./responses/protocol.ts";
import { openaiResponsesRelated } from "./responses/related.ts";
import { openaiSpeech } from "./audio/speech.ts";
import type { Protocol } from "../protocol.ts";
import { sharedResources } from "../shared-resources.ts";

/** Everything that OpenAI and those who speak like it can be asked for; the most frequent first. */
export const openaiOperations: readonly Protocol[] = [
  openaiChat,
  openaiResponses,
  openaiEmbeddings,
  openaiCompletions,
  openaiResponseById,
  ...openaiResponsesRelated,
  ...openaiImages,
  openaiSpeech,
  ...openaiListening,
  openaiModerations,
  ...openaiConversations,
  ...openaiBatches,
  ...sharedResources,
];
