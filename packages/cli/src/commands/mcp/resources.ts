import { mcpFlags, mcpServer } from '../../command-line/flags/mcp-flags.ts';
import { McpCommand } from '../../command-line/mcp-command.ts';
import { listResources } from '../../mcp/list-offers.ts';
import { formatResources } from '../../mcp/format-lists.ts';

export default class McpResources extends McpCommand {
  static override summary = 'List the resources and resource templates of a server';
  static override examples = [
    '<%= config.bin %> mcp resources weather',
    '<%= config.bin %> mcp resources weather --format json',
  ];
  static override args = mcpServer;
  static override flags = mcpFlags;

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(McpResources);
    return await this.withServer(args.server, flags, async (server) => {
      const listed = await listResources(server);
      if (flags.format === 'json') return await this.printJson(listed);
      this.log(formatResources(listed));
    });
  }
}
