//! Client of the official SDK for Rust: client TRANSPORT URL, or client stdio COMMAND...
use rmcp::{
    ClientLifecycleMode, ClientServiceExt, RoleClient, ServiceError,
    model::{CallToolRequestParams, CallToolResult, ProtocolVersion},
    service::RunningService,
    transport::{StreamableHttpClientTransport, TokioChildProcess},
};
use tokio::process::Command;

type Failure = Box<dyn std::error::Error>;
type Client = RunningService<RoleClient, ()>;

async fn connect(words: &[String], lifecycle: ClientLifecycleMode) -> Result<Client, Failure> {
    if words[0] != "stdio" {
        let transport = StreamableHttpClientTransport::from_uri(words[1].as_str());
        return Ok(().serve_with_lifecycle(transport, lifecycle).await?);
    }
    let mut command = Command::new(&words[1]);
    command.args(&words[2..]);
    Ok(().serve_with_lifecycle(TokioChildProcess::new(command)?, lifecycle).await?)
}

async fn call(client: &Client, name: &str) -> Result<CallToolResult, ServiceError> {
    let arguments = serde_json::Map::from_iter([("message".to_owned(), "ahoy".into())]);
    client.call_tool(CallToolRequestParams::new(name.to_owned()).with_arguments(arguments)).await
}

async fn expect_echo(client: &Client) -> Result<(), Failure> {
    let result = call(client, "echo").await?;
    match result.content.first().and_then(|block| block.as_text()) {
        Some(text) if text.text.contains("ahoy") => Ok(()),
        _ => Err(format!("unexpected result: {result:?}").into()),
    }
}

async fn try_server(words: &[String], lifecycle: ClientLifecycleMode) -> Result<(), Failure> {
    let client = connect(words, lifecycle).await?;
    if !client.list_all_tools().await?.iter().any(|tool| tool.name == "echo") {
        return Err("the tool echo is not listed".into());
    }
    expect_echo(&client).await?;
    if let Ok(denied) = std::env::var("DENIED_TOOL") {
        match call(&client, &denied).await {
            Ok(result) if result.is_error == Some(true) => {}
            Ok(_) => return Err("the denied call succeeded".into()),
            Err(ServiceError::McpError(_)) => {}
            Err(error) => return Err(format!("the denied call broke the client: {error}").into()),
        }
        expect_echo(&client).await?;
    }
    client.cancel().await?;
    Ok(())
}

/// Connects by `initialize`, then as a client that tries the newest revision first.
#[tokio::main]
async fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    try_server(&words, ClientLifecycleMode::Initialize).await?;
    let preferred_versions = vec![ProtocolVersion::LATEST];
    try_server(&words, ClientLifecycleMode::Auto { preferred_versions, legacy_version: None }).await?;
    println!("ok");
    Ok(())
}
