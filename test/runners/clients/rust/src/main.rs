//! Asks once with each client for Rust, as ask.mjs does; the first argument says which way.
use anthropic_ai_sdk::client::AnthropicClient;
use anthropic_ai_sdk::types::message::{
    CreateMessageParams, Message, MessageClient, MessageError, RequiredMessageParams, Role,
};
use async_openai::{config::OpenAIConfig, types::chat::*, Client};
use genai::chat::{ChatMessage as GenaiMessage, ChatRequest};
use genai::resolver::{AuthData, Endpoint};
use genai::{adapter::AdapterKind, ModelIden, ServiceTarget};
use ollama_rs::generation::chat::{request::ChatMessageRequest, ChatMessage};
use ollama_rs::Ollama;
use std::{error::Error, future::Future, time::Duration};

const OPENAI: (&str, &str) = ("/openai/v1", "https://api.openai.com/v1");

/// The address that is to stand in code: ours, the provider's, or none.
fn address((ours, providers): (&str, &str)) -> Option<String> {
    match std::env::args().nth(1).as_deref() {
        Some("line") => Some(format!("{}{ours}", std::env::var("TAPEDECK_URL").unwrap_or_default())),
        Some("code") => Some(providers.to_string()),
        _ => None,
    }
}

async fn by_openai(id: &str) -> Result<(), Box<dyn Error>> {
    let mut config = OpenAIConfig::default().with_api_key("own");
    if let Some(base) = address(OPENAI) {
        config = config.with_api_base(base);
    }
    let messages = vec![ChatCompletionRequestUserMessage::from("hello").into()];
    let request = CreateChatCompletionRequest { model: id.into(), messages, ..Default::default() };
    Client::with_config(config).chat().create(request).await?;
    Ok(())
}

async fn by_anthropic(id: &str) -> Result<(), Box<dyn Error>> {
    let mut builder = AnthropicClient::builder("own", "2023-06-01");
    if let Some(base) = address(("/anthropic/v1", "https://api.anthropic.com/v1")) {
        builder = builder.with_api_base_url(base);
    }
    let messages = vec![Message::new_text(Role::User, "hello")];
    let asked = RequiredMessageParams { model: id.into(), messages, max_tokens: 9 };
    builder.build::<MessageError>()?.create_message(Some(&CreateMessageParams::new(asked))).await?;
    Ok(())
}

async fn by_genai(id: &str) -> Result<(), Box<dyn Error>> {
    let base = address(OPENAI).map(|base| format!("{base}/"));
    let client = genai::Client::builder()
        .with_service_target_resolver_fn(move |target: ServiceTarget| {
            let endpoint = base.clone().map_or(target.endpoint, Endpoint::from_owned);
            Ok(ServiceTarget { endpoint, auth: AuthData::Key("own".into()), ..target })
        })
        .build()?;
    let request = ChatRequest::new(vec![GenaiMessage::user("hello")]);
    client.exec_chat(ModelIden::new(AdapterKind::OpenAI, id.to_string()), request, None).await?;
    Ok(())
}

async fn by_ollama(id: &str) -> Result<(), Box<dyn Error>> {
    let client = match address(("/ollama/", "http://127.0.0.1:11434")) {
        Some(base) => Ollama::try_new(base)?,
        None => Ollama::default(),
    };
    let messages = vec![ChatMessage::user("hello".into())];
    client.send_chat_messages(ChatMessageRequest::new(id.into(), messages)).await?;
    Ok(())
}

async fn by_reqwest(id: &str) -> Result<(), Box<dyn Error>> {
    let named = std::env::var("OPENAI_BASE_URL").ok();
    let base = address(OPENAI).or(named).unwrap_or(OPENAI.1.into());
    let messages = serde_json::json!([{ "role": "user", "content": "hello" }]);
    let asked = serde_json::json!({ "model": id, "messages": messages });
    let url = format!("{base}/chat/completions");
    reqwest::Client::new().post(url).bearer_auth("own").json(&asked).send().await?;
    Ok(())
}

async fn tried(client: &str, id: &str, asking: impl Future<Output = Result<(), Box<dyn Error>>>) {
    let error = match tokio::time::timeout(Duration::from_secs(20), asking).await {
        Ok(Ok(())) => String::new(),
        Ok(Err(error)) => format!("{error:?}"),
        Err(_) => "no answer in 20 s".to_string(),
    };
    println!("{}", serde_json::json!({ "client": client, "id": id, "error": error }));
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    tried("async-openai", "rust.openai.end", by_openai("rust.openai.end")).await;
    tried("anthropic-ai-sdk", "rust.anthropic.end", by_anthropic("rust.anthropic.end")).await;
    tried("genai", "rust.genai.end", by_genai("rust.genai.end")).await;
    tried("ollama-rs", "rust.ollama.end", by_ollama("rust.ollama.end")).await;
    tried("reqwest", "rust.reqwest.end", by_reqwest("rust.reqwest.end")).await;
}
