import { Args } from '@oclif/core';
import { argsFlag, mcpFlags, mcpServer, mcpWords, outputFlag } from '../../command-line/flags/mcp-flags.ts';
import { McpCommand } from '../../command-line/mcp-command.ts';
import { badArgument } from '../../terminal/terminal-errors.ts';
import { callTool } from '../../mcp/call-tool.ts';
import { partsOfContent } from '../../mcp/contents.ts';

export default class McpCall extends McpCommand {
  static override summary = 'Call a tool of a server';
  static override description =
    'Validates the arguments against the schema of the tool. Standard output has the text of the result ' +
    'unchanged. Questions of the server appear on the terminal. The exit status is 1 when the tool reports a ' +
    'failure, whose text goes to standard error.';
  static override usage = 'mcp call SERVER TOOL [KEY=VALUE]... [FLAGS]';
  static override examples = [
    '<%= config.bin %> mcp call weather forecast city=Bergen days=3',
    `<%= config.bin %> mcp call weather chart --args '{"city": "Bergen"}' --output chart.png`,
    '<%= config.bin %> mcp call weather forecast --args - --format json < question.json',
  ];
  static override args = {
    ...mcpServer,
    tool: Args.string({ description: 'tool to call', required: true, ignoreStdin: true }),
    ...mcpWords,
  };
  static override flags = { args: argsFlag, output: outputFlag, ...mcpFlags };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(McpCall);
    if (flags.output !== undefined && flags.format === 'json')
      throw badArgument('--output cannot be combined with --format json, which includes all data');
    const json = await this.readJsonArguments(flags.args);
    return await this.withServer(args.server, flags, async (server) => {
      const call = { tool: args.tool, words: args.words ?? [], json };
      const result = await callTool(server, call, (lines) => this.tell(lines));
      const failed = result.isError === true;
      if (flags.format === 'json') await this.printJson(result);
      else {
        const parts = partsOfContent(result.content);
        const { structuredContent: structured } = result;
        if (parts.length === 0 && structured !== undefined) await this.printJson(structured);
        else await this.printAnswer(parts, { output: flags.output, failed });
      }
      return failed ? 1 : 0;
    });
  }
}
