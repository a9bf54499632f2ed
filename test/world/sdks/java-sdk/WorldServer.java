import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.transport.HttpServletSseServerTransportProvider;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import jakarta.servlet.http.HttpServlet;
import java.util.Map;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/** Server of the official SDK for Java: WorldServer TRANSPORT PORT */
public class WorldServer {
  private static final ServerCapabilities TOOLS = ServerCapabilities.builder().tools(false).build();

  public static void main(String[] words) throws Exception {
    switch (words[0]) {
      case "stdio" -> {
        var transport = new StdioServerTransportProvider(McpJsonDefaults.getMapper());
        McpServer.sync(transport).serverInfo("java-sdk", "1.0.0").capabilities(TOOLS).tools(createEcho()).build();
      }
      case "sse" -> {
        var transport = HttpServletSseServerTransportProvider.builder().messageEndpoint("/message").build();
        McpServer.sync(transport).serverInfo("java-sdk", "1.0.0").capabilities(TOOLS).tools(createEcho()).build();
        serve(transport, Integer.parseInt(words[1]));
      }
      default -> {
        var transport = HttpServletStreamableServerTransportProvider.builder().mcpEndpoint("/mcp").build();
        McpServer.sync(transport).serverInfo("java-sdk", "1.0.0").capabilities(TOOLS).tools(createEcho()).build();
        serve(transport, Integer.parseInt(words[1]));
      }
    }
  }

  private static SyncToolSpecification createEcho() {
    Map<String, Object> schema = Map.of("type", "object", "properties", Map.of("message", Map.of("type", "string")));
    return SyncToolSpecification.builder()
        .tool(Tool.builder("echo", schema).description("Returns the message").build())
        .callHandler((exchange, request) ->
            CallToolResult.builder().addTextContent("Echo: " + request.arguments().get("message")).build())
        .build();
  }

  private static void serve(HttpServlet servlet, int port) throws Exception {
    Tomcat tomcat = new Tomcat();
    String folder = System.getProperty("java.io.tmpdir");
    tomcat.setBaseDir(folder);
    Connector connector = new Connector();
    connector.setPort(port);
    connector.setProperty("address", "127.0.0.1");
    tomcat.setConnector(connector);
    Context context = tomcat.addContext("", folder);
    Wrapper wrapper = Tomcat.addServlet(context, "mcp", servlet);
    wrapper.setAsyncSupported(true);
    context.addServletMappingDecoded("/*", "mcp");
    tomcat.start();
    tomcat.getServer().await();
  }
}
