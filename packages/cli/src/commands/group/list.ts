import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { formatTable } from '../../terminal/format/format-table.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { listGroups } from '@portolan/workload/groups';
import { workloadsInGroup } from '@portolan/workload/operations';

export default class GroupList extends WorkloadCommand {
  static override summary = 'List groups with their workloads and clients';
  static override flags = { format: formatFlag };

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(GroupList);
    return await this.withWorkloads(flags, async (context) => {
      const groups = await Promise.all(
        (await listGroups(context)).map(async ({ name, registeredClients }) => ({
          name,
          registered_clients: registeredClients,
          workloads: await workloadsInGroup(name, context),
        })),
      );
      const rows = groups.map(({ name, registered_clients: clients, workloads }) => [
        name,
        workloads.length === 0 ? '-' : workloads.join(', '),
        clients.length === 0 ? '-' : clients.join(', '),
      ]);
      this.print(flags.format, groups, formatTable(['name', 'workloads', 'clients'], rows));
    });
  }
}
