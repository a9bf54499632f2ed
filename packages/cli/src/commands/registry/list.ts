import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { lookupFlags } from '../../command-line/flags/lookup-flags.ts';
import { lookupContextWith } from '../../command-line/lookup-context.ts';
import { refreshFlag } from '../../command-line/flags/refresh-flag.ts';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import { formatServers } from '../../terminal/format/format-servers.ts';
import { printable } from '../../terminal/printable.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { listServers } from '@portolan/registry-client/lookup';

export default class RegistryList extends WorkloadCommand {
  static override summary = 'List the servers of the registry';
  static override description =
    'Responses of the registry are cached for one hour. When the registry is unreachable, the command shows ' +
    'its responses of the last seven days, with a warning.';
  static override examples = [
    '<%= config.bin %> registry list',
    '<%= config.bin %> registry list --refresh --format json',
  ];
  static override flags = {
    ...lookupFlags,
    format: formatFlag,
    refresh: refreshFlag,
    config: workloadConfigFlag,
  };

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(RegistryList);
    return await this.withWorkloads(flags, async (context, signal) => {
      const lookup = await lookupContextWith(flags, context, signal);
      const { servers, warnings } = await listServers(lookup, {
        refresh: flags.refresh === true,
        signal,
      });
      this.tell(warnings.map((warning) => `warning: ${printable(warning)}`));
      this.print(flags.format, servers, formatServers(servers, ['tier', 'stars']));
    });
  }
}
