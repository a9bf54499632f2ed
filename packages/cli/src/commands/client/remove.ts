import { clientArguments } from '../../command-line/flags/client-flags.ts';
import { string } from '../../command-line/flags/flag-types.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { getClient, unregisterClient } from '@portolan/workload/clients';

export default class ClientRemove extends WorkloadCommand {
  static override summary = 'Remove workloads from the configuration of clients, and stop updating it';
  static override args = clientArguments;
  static override flags = {
    group: string({
      description: 'group of workloads',
      helpValue: 'NAME',
      fallback: 'all groups',
    }),
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(ClientRemove);
    return await this.withWorkloads(flags, async (context) => {
      // Check all names first, so that an unknown one changes nothing.
      for (const client of args.clients) getClient(client);
      for (const client of args.clients) {
        const { groups, warnings } = await unregisterClient(client, flags.group, context);
        this.tell(warnings.map((warning) => `warning: ${warning}`));
        const what = groups.map((group) => `${client} gets no workloads of group ${group} any more`);
        this.tell(what.length === 0 ? [`${client} was not registered`] : what);
      }
    });
  }
}
