import { clientArguments } from '../../command-line/flags/client-flags.ts';
import { string } from '../../command-line/flags/flag-types.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { DEFAULT_GROUP } from '@portolan/workload';
import { getClient, registerClient } from '@portolan/workload/clients';

export default class ClientRegister extends WorkloadCommand {
  static override summary = 'Configure clients to use the workloads of a group, also future ones';
  static override description = '`client setup` does the same; without names, it offers a list of clients.';
  static override args = clientArguments;
  static override flags = {
    group: string({ description: 'group of workloads', helpValue: 'NAME', fallback: 'default' }),
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(ClientRegister);
    return await this.withWorkloads(flags, async (context) => {
      const group = flags.group ?? DEFAULT_GROUP;
      // Check all names first, so that an unknown one changes nothing.
      for (const client of args.clients) getClient(client);
      for (const client of args.clients) {
        const notes: string[] = [];
        const observer = { note: (text: string) => void notes.push(text) };
        const warnings = await registerClient(client, group, context, observer);
        this.tell([
          ...notes.map((one) => `note: ${one}`),
          ...warnings.map((one) => `warning: ${one}`),
          `${client} gets the workloads of group ${group}`,
        ]);
      }
    });
  }
}
