import { Args } from '@oclif/core';
import { formatFlag } from '../command-line/flags/format-flag.ts';
import { lookupFlags } from '../command-line/flags/lookup-flags.ts';
import { lookupContextWith } from '../command-line/lookup-context.ts';
import { refreshFlag } from '../command-line/flags/refresh-flag.ts';
import { workloadConfigFlag } from '../command-line/flags/workload-config-flag.ts';
import { formatServers } from '../terminal/format/format-servers.ts';
import { printable } from '../terminal/printable.ts';
import { WorkloadCommand } from '../command-line/workload-command.ts';
import { searchServers } from '@portolan/registry-client/lookup';

export default class Search extends WorkloadCommand {
  static override summary = 'Search the registry for MCP servers';
  static override description =
    'Finds servers with the text in their name, title, description, tags or tools. The registry is that of ' +
    '`portolan config set-registry`, else the official one, which only compares names. Log in with `portolan ' +
    'registry login`; scripts name a file with a token in PORTOLAN_REGISTRY_TOKEN_FILE. Responses of the ' +
    'registry are cached for one hour.';
  static override examples = [
    '<%= config.bin %> search weather',
    '<%= config.bin %> search weather --format json',
  ];
  static override args = {
    query: Args.string({ description: 'text to search for', required: true, ignoreStdin: true }),
  };
  static override flags = {
    ...lookupFlags,
    format: formatFlag,
    refresh: refreshFlag,
    config: workloadConfigFlag,
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(Search);
    return await this.withWorkloads(flags, async (context, signal) => {
      const lookup = await lookupContextWith(flags, context, signal);
      const { servers, warnings } = await searchServers(args.query, lookup, {
        refresh: flags.refresh === true,
        signal,
      });
      this.tell(warnings.map((warning) => `warning: ${printable(warning)}`));
      this.print(flags.format, servers, formatServers(servers, ['transport', 'stars']));
    });
  }
}
