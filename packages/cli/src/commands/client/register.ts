import { clientArgument } from '../../command-line/flags/client-flags.ts';
import { string } from '../../command-line/flags/flag-types.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';

export default class ClientRegister extends WorkloadCommand {
  static override summary = 'Give one client the workloads of a group, those of later too';
  static override description =
    '`client setup` does the same for several clients, and lets you choose them from a list.';
  static override args = clientArgument;
  static override flags = {
    group: string({ description: 'group whose workloads it gets', helpValue: 'NAME', fallback: 'default' }),
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(ClientRegister);
    return await this.withWorkloads(flags, async (context) => {
      const { DEFAULT_GROUP, registerClient } = await import('@portolan/workload');
      const group = flags.group ?? DEFAULT_GROUP;
      const notes: string[] = [];
      const observer = { note: (text: string) => void notes.push(text) };
      const warnings = await registerClient(args.client, group, context, observer);
      this.tell([
        ...notes.map((one) => `note: ${one}`),
        ...warnings.map((one) => `warning: ${one}`),
        `${args.client} gets the workloads of group ${group}`,
      ]);
    });
  }
}
