// The calls of the benchmark: chat requests of about 2 KB and their replies.
const SYSTEM = "You are a support agent. Answer briefly, name the order, and never promise a refund. ".repeat(
  16,
);

export function chatRequest(index) {
  const messages = [
    { role: "system", content: SYSTEM },
    { role: "user", content: `Where is order ${index}? It should have come on Monday.` },
  ];
  return JSON.stringify({ model: "gpt-4o-mini", messages, temperature: 0.2 });
}

export function chatReply(index) {
  const content = `Order ${index} left the warehouse and arrives tomorrow. `.repeat(10);
  return JSON.stringify({
    id: `chatcmpl-${index}`,
    object: "chat.completion",
    created: 1767322800,
    model: "gpt-4o-mini-2024-07-18",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content, refusal: null },
        logprobs: null,
        finish_reason: "stop",
      },
    ],
    usage: { prompt_tokens: 310, completion_tokens: 90, total_tokens: 400 },
  });
}

export function chatStream(index, events = 200) {
  const head = {
    id: `chatcmpl-${index}`,
    object: "chat.completion.chunk",
    created: 1767322800,
    model: "gpt-4o-mini",
  };
  const chunk = (delta, finish_reason = null) =>
    `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason }] })}\n\n`;
  const words = Array.from({ length: events - 3 }, (_, word) => chunk({ content: ` word${word}` }));
  return [chunk({ role: "assistant", content: "" }), ...words, chunk({}, "stop"), "data: [DONE]\n\n"].join(
    "",
  );
}
