import { Args } from '@oclif/core';
import { argsFlag, mcpFlags, mcpServer, mcpWords, outputFlag } from '../../command-line/flags/mcp-flags.ts';
import { McpCommand } from '../../command-line/mcp-command.ts';
import { badArgument } from '../../terminal/terminal-errors.ts';
import { callTool } from '../../mcp/call-tool.ts';
import { partsOfContent } from '../../mcp/contents.ts';

export default class McpCall extends McpCommand {
  static override summary = 'Call a tool of a server';
  static override description =
    'Arguments are checked by the schema of the tool before they are sent. Texts of the answer stand on standard ' +
    'output as they are. What the server asks meanwhile is asked on the terminal. The exit status is 1 where the ' +
    'tool says that it has failed, with its words on standard error.';
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
      throw badArgument('--output and --format json: JSON has everything in it');
    const json = await this.readJsonArguments(flags.args);
    return await this.withServer(args.server, flags, async (server) => {
      const call = { tool: args.tool, words: args.words ?? [], json };
      const answer = await callTool(server, call, (lines) => this.tell(lines));
      const failed = answer.isError === true;
      if (flags.format === 'json') await this.printJson(answer);
      else {
        const parts = partsOfContent(answer.content);
        const { structuredContent: structured } = answer;
        if (parts.length === 0 && structured !== undefined) await this.printJson(structured);
        else await this.printAnswer(parts, { output: flags.output, failed });
      }
      return failed ? 1 : 0;
    });
  }
}
