import { Args } from '@oclif/core';
import { argsFlag, mcpFlags, mcpServer } from '../../command-line/flags/mcp-flags.ts';
import { McpCommand } from '../../command-line/mcp-command.ts';
import { terminalLook } from '../../terminal/terminal-look.ts';
import { badArgument } from '../../terminal/terminal-errors.ts';
import { getPrompt } from '../../mcp/get-prompt.ts';
import { partsOfContent } from '../../mcp/contents.ts';
import { listPrompts } from '../../mcp/list-offers.ts';
import { formatPrompts } from '../../mcp/format-lists.ts';

export default class McpPrompts extends McpCommand {
  static override summary = 'List the prompts of a server, or fill in one';
  static override examples = [
    '<%= config.bin %> mcp prompts weather',
    '<%= config.bin %> mcp prompts weather packing-list city=Bergen',
  ];
  static override usage = 'mcp prompts SERVER [PROMPT [KEY=VALUE]...] [FLAGS]';
  static override args = {
    ...mcpServer,
    words: Args.string({
      name: 'PROMPT',
      description: 'prompt to fill in, with its arguments as KEY=VALUE; by default, list all prompts',
      multiple: true,
      ignoreStdin: true,
    }),
  };
  static override flags = { args: argsFlag, ...mcpFlags };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(McpPrompts);
    const [prompt, ...words] = args.words ?? [];
    if (prompt === undefined && flags.args !== undefined)
      throw badArgument('--args: found no PROMPT; expected the name of a prompt');
    const json = await this.readJsonArguments(flags.args);
    return await this.withServer(args.server, flags, async (server) => {
      if (prompt !== undefined) {
        const filled = await getPrompt(server, prompt, words, json);
        if (flags.format === 'json') return await this.printJson(filled);
        return await this.printAnswer(partsOfContent(filled.messages.map(({ content }) => content)), {});
      }
      const prompts = await listPrompts(server);
      if (flags.format === 'json') return await this.printJson(prompts);
      this.log(formatPrompts(prompts, terminalLook(process.stdout, process.env).width));
    });
  }
}
