//! Server of the official SDK for Rust: server TRANSPORT PORT
use rmcp::{
    ServerHandler, ServiceExt,
    handler::server::wrapper::Parameters,
    model::{ServerCapabilities, ServerConfig},
    schemars, tool, tool_handler, tool_router,
    transport::{
        stdio,
        streamable_http_server::{StreamableHttpService, session::local::LocalSessionManager},
    },
};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Message {
    message: String,
}

#[derive(Clone)]
struct EchoServer;

#[tool_router]
impl EchoServer {
    #[tool(description = "Returns the message")]
    fn echo(&self, Parameters(Message { message }): Parameters<Message>) -> String {
        format!("Echo: {message}")
    }
}

#[tool_handler]
impl ServerHandler for EchoServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().collect();
    if words[1] == "stdio" {
        EchoServer.serve(stdio()).await?.waiting().await?;
        return Ok(());
    }
    let service: StreamableHttpService<EchoServer, LocalSessionManager> =
        StreamableHttpService::new(|| Ok(EchoServer), Default::default(), Default::default());
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{}", words[2])).await?;
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}
