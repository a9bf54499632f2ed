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
    'Finds servers whose name, title, description, tags or tools have the text. The registry is the one of ' +
    '`portolan config set-registry`, else the official one, which compares names only; `portolan registry login` logs in to it, for programs PORTOLAN_REGISTRY_TOKEN_FILE names a file with a token. ' +
    'What it said within the last hour is looked through without asking it again.';
  static override examples = [
    '<%= config.bin %> search weather',
    '<%= config.bin %> search weather --format json',
  ];
  static override args = {
    query: Args.string({ description: 'text to look for', required: true, ignoreStdin: true }),
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
