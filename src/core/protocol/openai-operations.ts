import { openaiBatches } from "./openai-batches/protocol.ts";
import { openaiChat } from "./openai-chat/protocol.ts";
import { openaiCompletions } from "./openai-completions/protocol.ts";
import { openaiConversations } from "./openai-conversations/protocol.ts";
import { openaiEmbeddings } from "./openai-embeddings/protocol.ts";
import { openaiImages } from "./openai-images/protocol.ts";
import { openaiListening } from "./openai-audio/listening.ts";
import { openaiModerations } from "./openai-moderations/protocol.ts";
import { openaiResponseById, openaiResponses } from "./openai-responses/protocol.ts";
import { openaiResponsesRelated } from "./openai-responses/related.ts";
import { openaiSpeech } from "./openai-audio/speech.ts";
import type { Protocol } from "./protocol.ts";
import { sharedResources } from "./shared-resources.ts";

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
