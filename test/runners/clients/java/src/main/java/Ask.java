import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.models.messages.MessageCreateParams;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import java.util.Optional;

/** Asks once with each client for Java, as ask.mjs does; the first argument says which way. */
public final class Ask {
  private static String way;
  private static final String SERVER = System.getenv("TAPEDECK_URL");

  public static void main(String[] args) {
    way = args[0];
    tried("com.openai:openai-java", "java.openai.end", Ask::byOpenAI);
    tried("com.anthropic:anthropic-java", "java.anthropic.end", Ask::byAnthropic);
    System.exit(0);
  }

  private interface Asking {
    void ask(String id);
  }

  private static void tried(String name, String id, Asking client) {
    String error = "";
    try {
      client.ask(id);
    } catch (Exception thrown) {
      error = String.valueOf(thrown.getMessage()).replaceAll("[\"\\\\\\s]+", " ");
    }
    System.out.printf("{\"client\":\"%s\",\"id\":\"%s\",\"error\":\"%s\"}%n", name, id, error);
  }

  /** The address that is to stand in code: ours, the provider's, or none. */
  private static Optional<String> address(String ours, String providers) {
    return switch (way) {
      case "line" -> Optional.of(SERVER + ours);
      case "code" -> Optional.of(providers);
      default -> Optional.empty();
    };
  }

  private static void byOpenAI(String id) {
    var builder = OpenAIOkHttpClient.builder().fromEnv().apiKey("own").maxRetries(0);
    address("/openai/v1", "https://api.openai.com/v1").ifPresent(builder::baseUrl);
    builder.build().chat().completions()
        .create(ChatCompletionCreateParams.builder().model(id).addUserMessage("hello").build());
  }

  private static void byAnthropic(String id) {
    var builder = AnthropicOkHttpClient.builder().fromEnv().apiKey("own").maxRetries(0);
    address("/anthropic", "https://api.anthropic.com").ifPresent(builder::baseUrl);
    builder.build().messages()
        .create(MessageCreateParams.builder().model(id).maxTokens(9).addUserMessage("hello").build());
  }
}
