import OpenAI from "openai";

export interface Order {
  readonly status: string;
  readonly carrier: string;
  readonly arrives: string;
}

export type FindOrder = (orderId: string) => Order;

const lookUpOrder: OpenAI.Chat.Completions.ChatCompletionTool = {
  type: "function",
  function: {
    name: "look_up_order",
    description: "Finds an order: its status, its carrier and the day it arrives.",
    parameters: {
      type: "object",
      properties: { order_id: { type: "string", description: "for example A-1042" } },
      required: ["order_id"],
      additionalProperties: false,
    },
  },
};

/** Answers a question about an order; the model looks the order up through `findOrder`. */
export async function orderStatus(question: string, findOrder: FindOrder): Promise<string> {
  const openai = new OpenAI();
  const messages: OpenAI.Chat.Completions.ChatCompletionMessageParam[] = [
    { role: "system", content: "You tell customers where their order is. Look it up; never guess." },
    { role: "user", content: question },
  ];
  const ask = () => openai.chat.completions.create({ model: "gpt-4o-mini", messages, tools: [lookUpOrder] });

  const first = (await ask()).choices[0]?.message;
  if (!first?.tool_calls) return first?.content ?? "";
  messages.push(first);
  for (const call of first.tool_calls) {
    if (call.type !== "function") continue;
    const { order_id: orderId } = JSON.parse(call.function.arguments) as { order_id: string };
    messages.push({ role: "tool", tool_call_id: call.id, content: JSON.stringify(findOrder(orderId)) });
  }
  return (await ask()).choices[0]?.message.content ?? "";
}
