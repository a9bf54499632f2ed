import { Args } from '@oclif/core';
import { mcpFlags, mcpServer, outputFlag } from '../../command-line/flags/mcp-flags.ts';
import { McpCommand } from '../../command-line/mcp-command.ts';
import { badArgument } from '../../terminal/terminal-errors.ts';
import { partsOfResource } from '../../mcp/contents.ts';

export default class McpRead extends McpCommand {
  static override summary = 'Read a resource of a server';
  static override description = 'Writes text unchanged to standard output; --output saves other data.';
  static override examples = [
    '<%= config.bin %> mcp read weather weather://stations/bergen',
    '<%= config.bin %> mcp read weather weather://radar/latest --output radar.png',
  ];
  static override args = {
    ...mcpServer,
    uri: Args.string({
      description: 'URI of a resource in `portolan mcp resources`',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = { output: outputFlag, ...mcpFlags };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(McpRead);
    if (flags.output !== undefined && flags.format === 'json')
      throw badArgument('--output cannot be combined with --format json, which includes all data');
    return await this.withServer(args.server, flags, async (server) => {
      const read = await server.ask(
        async (client, options) => await client.readResource({ uri: args.uri }, options),
      );
      if (flags.format === 'json') return await this.printJson(read);
      await this.printAnswer(partsOfResource(read), { output: flags.output });
    });
  }
}
