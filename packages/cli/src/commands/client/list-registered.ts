import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { formatTable } from '../../terminal/format/format-table.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { listClients } from '@portolan/workload/clients';

export default class ClientListRegistered extends WorkloadCommand {
  static override summary = 'List the clients that use workloads, with their groups';
  static override flags = { format: formatFlag };

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(ClientListRegistered);
    return await this.withWorkloads(flags, async (context) => {
      const clients = (await listClients(context)).filter(({ groups }) => groups.length > 0);
      const rows = clients.map(({ client, groups }) => [client, groups.join(', ')]);
      const text = rows.length === 0 ? 'No clients are registered' : formatTable(['client', 'groups'], rows);
      this.print(flags.format, clients, text);
    });
  }
}
