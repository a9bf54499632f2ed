import type { Tool } from '@modelcontextprotocol/client';
import type { ToolMember } from '@portolan/workload';
import { findToolMembers } from '@portolan/workload/operations';
import { mcpFlags, mcpServer } from '../../command-line/flags/mcp-flags.ts';
import { McpCommand } from '../../command-line/mcp-command.ts';
import { terminalLook } from '../../terminal/terminal-look.ts';
import { isAddress } from '../../mcp/find-server.ts';
import { listTools } from '../../mcp/list-offers.ts';
import { formatTools } from '../../mcp/format-lists.ts';

export default class McpTools extends McpCommand {
  static override summary = 'List the tools of a server';
  static override description =
    'Arguments in brackets are optional. The JSON format has all data of the server, with the schema of each ' +
    'tool. For a virtual server, it also has the member and the own name of each tool.';
  static override examples = [
    '<%= config.bin %> mcp tools weather',
    '<%= config.bin %> mcp tools desk --format json',
    '<%= config.bin %> mcp tools https://mcp.acme.example/mcp --token-file ./token --format json',
  ];
  static override args = mcpServer;
  static override flags = mcpFlags;

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(McpTools);
    return await this.withServer(args.server, flags, async (server, context) => {
      const tools = await listTools(server);
      const names = tools.map(({ name }) => name);
      const members = isAddress(args.server) ? undefined : await findToolMembers(args.server, names, context);
      if (flags.format === 'json') return await this.printJson(withMembers(tools, members));
      const { width } = terminalLook(process.stdout, process.env);
      this.log(formatTools(tools, width, members));
    });
  }
}

/** Adds `member` and `own_name` to tools of a virtual server. */
function withMembers(
  tools: readonly Tool[],
  members: ReadonlyMap<string, ToolMember> | undefined,
): readonly object[] {
  return tools.map((tool) => {
    const match = members?.get(tool.name);
    return match === undefined ? tool : { ...tool, member: match.member, own_name: match.ownName };
  });
}
