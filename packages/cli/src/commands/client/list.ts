import type { ClientStatus } from '@portolan/workload';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { formatTable } from '../../terminal/format/format-table.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { listClients } from '@portolan/workload/clients';

export default class ClientList extends WorkloadCommand {
  static override summary = 'List known clients, which are installed, and which use workloads';
  static override flags = { format: formatFlag };

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(ClientList);
    return await this.withWorkloads(flags, async (context) => {
      const clients = await listClients(context);
      this.print(
        flags.format,
        clients,
        formatTable(['client', 'installed', 'groups', 'file'], clients.map(rowOf)),
      );
    });
  }
}

function rowOf({ client, installed, groups, files }: ClientStatus): readonly string[] {
  return [client, installed ? 'yes' : 'no', groups.length === 0 ? '-' : groups.join(', '), files.join(', ')];
}
