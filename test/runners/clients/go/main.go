// Asks once with each client for Go, as ask.mjs does: go run . WAY. "line": its address is put together of TAPEDECK_URL,
// "code": it is the provider's.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/ollama/ollama/api"
	"github.com/openai/openai-go/v3"
	openaioption "github.com/openai/openai-go/v3/option"
	community "github.com/sashabaranov/go-openai"
	"github.com/tmc/langchaingo/llms"
	langchain "github.com/tmc/langchaingo/llms/openai"
	"google.golang.org/genai"
)

// The address that is to stand in code: ours, the provider's, or none.
func address(ours, providers string) string {
	switch os.Args[1] {
	case "line":
		return os.Getenv("TAPEDECK_URL") + ours
	case "code":
		return providers
	}
	return ""
}

var openAI = func() string { return address("/openai/v1", "https://api.openai.com/v1") }

func byOpenAI(ctx context.Context, id string) error {
	options := []openaioption.RequestOption{openaioption.WithMaxRetries(0), openaioption.WithAPIKey("own")}
	if base := openAI(); base != "" {
		options = append(options, openaioption.WithBaseURL(base))
	}
	client := openai.NewClient(options...)
	_, err := client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
		Model:    id,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hello")},
	})
	return err
}

func byAnthropic(ctx context.Context, id string) error {
	options := []anthropicoption.RequestOption{anthropicoption.WithMaxRetries(0), anthropicoption.WithAPIKey("own")}
	if base := address("/anthropic", "https://api.anthropic.com"); base != "" {
		options = append(options, anthropicoption.WithBaseURL(base))
	}
	client := anthropic.NewClient(options...)
	_, err := client.Messages.New(ctx, anthropic.MessageNewParams{
		Model:     anthropic.Model(id),
		MaxTokens: 9,
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("hello"))},
	})
	return err
}

func byCommunity(ctx context.Context, id string) error {
	settings := community.DefaultConfig("own")
	if base := openAI(); base != "" {
		settings.BaseURL = base
	}
	_, err := community.NewClientWithConfig(settings).CreateChatCompletion(ctx, community.ChatCompletionRequest{
		Model:    id,
		Messages: []community.ChatCompletionMessage{{Role: "user", Content: "hello"}},
	})
	return err
}

func byGemini(ctx context.Context, id string) error {
	settings := &genai.ClientConfig{APIKey: "own", Backend: genai.BackendGeminiAPI}
	settings.HTTPOptions = genai.HTTPOptions{BaseURL: address("/gemini", "https://generativelanguage.googleapis.com")}
	client, err := genai.NewClient(ctx, settings)
	if err != nil {
		return err
	}
	_, err = client.Models.GenerateContent(ctx, id, genai.Text("hello"), nil)
	return err
}

func byBedrock(ctx context.Context, id string) error {
	settings, err := config.LoadDefaultConfig(ctx, config.WithRetryMaxAttempts(1))
	if err != nil {
		return err
	}
	client := bedrockruntime.NewFromConfig(settings, func(options *bedrockruntime.Options) {
		if base := address("/bedrock", "https://bedrock-runtime.us-east-1.amazonaws.com"); base != "" {
			options.BaseEndpoint = &base
		}
	})
	content := []types.ContentBlock{&types.ContentBlockMemberText{Value: "hello"}}
	_, err = client.Converse(ctx, &bedrockruntime.ConverseInput{
		ModelId:  aws.String(id),
		Messages: []types.Message{{Role: types.ConversationRoleUser, Content: content}},
	})
	return err
}

func byOllama(ctx context.Context, id string) error {
	client, err := api.ClientFromEnvironment()
	if err != nil {
		return err
	}
	if base := address("/ollama", "http://127.0.0.1:11434"); base != "" {
		parsed, err := url.Parse(base)
		if err != nil {
			return err
		}
		client = api.NewClient(parsed, http.DefaultClient)
	}
	whole := false
	request := &api.ChatRequest{Model: id, Messages: []api.Message{{Role: "user", Content: "hello"}}, Stream: &whole}
	return client.Chat(ctx, request, func(api.ChatResponse) error { return nil })
}

func byLangChain(ctx context.Context, id string) error {
	options := []langchain.Option{langchain.WithToken("own"), langchain.WithModel(id)}
	if base := openAI(); base != "" {
		options = append(options, langchain.WithBaseURL(base))
	}
	model, err := langchain.New(options...)
	if err != nil {
		return err
	}
	_, err = llms.GenerateFromSinglePrompt(ctx, model, "hello")
	return err
}

func main() {
	for name, value := range map[string]string{
		"AWS_REGION":                "us-east-1",
		"AWS_ACCESS_KEY_ID":         "AKIDOWN",
		"AWS_SECRET_ACCESS_KEY":     "own",
		"AWS_EC2_METADATA_DISABLED": "true",
	} {
		os.Setenv(name, value)
	}
	for _, one := range []struct {
		name string
		id   string
		ask  func(context.Context, string) error
	}{
		{"github.com/openai/openai-go/v3", "go.openai.end", byOpenAI},
		{"github.com/anthropics/anthropic-sdk-go", "go.anthropic.end", byAnthropic},
		{"google.golang.org/genai", "go.genai.end", byGemini},
		{"github.com/sashabaranov/go-openai", "go.community.end", byCommunity},
		{"github.com/aws/aws-sdk-go-v2/service/bedrockruntime", "go.bedrock.end", byBedrock},
		{"github.com/ollama/ollama", "go.ollama.end", byOllama},
		{"github.com/tmc/langchaingo", "go.langchain.end", byLangChain},
	} {
		ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
		said, _ := json.Marshal(map[string]string{"client": one.name, "id": one.id, "error": fmt.Sprint(one.ask(ctx, one.id))})
		fmt.Println(string(said))
		stop()
	}
}
