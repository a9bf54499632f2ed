import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientSseClientTransport;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;

/** Client of the official SDK for Java: WorldClient TRANSPORT URL, or WorldClient stdio COMMAND... */
public class WorldClient {
  public static void main(String[] words) {
    Duration limit = Duration.ofMinutes(1);
    try (McpSyncClient client =
        McpClient.sync(openTransport(words)).requestTimeout(limit).initializationTimeout(limit).build()) {
      client.initialize();
      if (client.listTools().tools().stream().noneMatch(tool -> tool.name().equals("echo"))) {
        throw new IllegalStateException("the tool echo is not listed");
      }
      expectEcho(client);
      String denied = System.getenv("DENIED_TOOL");
      if (denied != null) {
        expectDenial(client, denied);
        expectEcho(client);
      }
    }
    System.out.println("ok");
    System.exit(0);
  }

  private static McpClientTransport openTransport(String[] words) {
    if (words[0].equals("stdio")) {
      String[] args = Arrays.copyOfRange(words, 2, words.length);
      var parameters = ServerParameters.builder(words[1]).args(args).env(System.getenv()).build();
      return new StdioClientTransport(parameters, McpJsonDefaults.getMapper());
    }
    URI target = URI.create(words[1]);
    String origin = target.getScheme() + "://" + target.getAuthority();
    return words[0].equals("sse")
        ? HttpClientSseClientTransport.builder(origin).sseEndpoint(target.getPath()).build()
        : HttpClientStreamableHttpTransport.builder(origin).endpoint(target.getPath()).build();
  }

  private static CallToolResult call(McpSyncClient client, String name) {
    return client.callTool(CallToolRequest.builder(name).arguments(Map.of("message", "ahoy")).build());
  }

  private static void expectEcho(McpSyncClient client) {
    CallToolResult result = call(client, "echo");
    if (!(result.content().get(0) instanceof TextContent text) || !text.text().contains("ahoy")) {
      throw new IllegalStateException("unexpected result: " + result);
    }
  }

  private static void expectDenial(McpSyncClient client, String name) {
    try {
      if (!Boolean.TRUE.equals(call(client, name).isError())) {
        throw new IllegalStateException("the denied call succeeded");
      }
    } catch (McpError error) {
      // the JSON-RPC error of the denial
    }
  }
}
