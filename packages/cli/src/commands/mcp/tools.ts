import { mcpFlags, mcpServer } from '../../command-line/flags/mcp-flags.ts';
import { McpCommand } from '../../command-line/mcp-command.ts';
import { terminalLook } from '../../terminal/terminal-look.ts';
import { listTools } from '../../mcp/list-offers.ts';
import { formatTools } from '../../mcp/format-lists.ts';

export default class McpTools extends McpCommand {
  static override summary = 'List the tools of a server';
  static override description =
    'Arguments in brackets are optional. The JSON format has all data of the server, with the schema of each ' +
    'tool.';
  static override examples = [
    '<%= config.bin %> mcp tools weather',
    '<%= config.bin %> mcp tools https://mcp.acme.example/mcp --token-file ./token --format json',
  ];
  static override args = mcpServer;
  static override flags = mcpFlags;

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(McpTools);
    return await this.withServer(args.server, flags, async (server) => {
      const tools = await listTools(server);
      if (flags.format === 'json') return await this.printJson(tools);
      this.log(formatTools(tools, terminalLook(process.stdout, process.env).width));
    });
  }
}
