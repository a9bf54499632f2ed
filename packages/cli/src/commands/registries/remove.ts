import { registryName, yesFlag } from '../../command-line/flags/admin-flags.ts';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { serverFlags } from '../../command-line/flags/server-flags.ts';
import { ServerCommand } from '../../command-line/server-command.ts';
import { confirm } from '../../terminal/ask/confirm.ts';
import { getResource, removeResource } from '@portolan/registry-client';

export default class RegistriesRemove extends ServerCommand {
  static override summary = 'Remove a registry; its sources and their entries stay';
  static override description = 'Asks for a confirmation, unless --yes is given.';
  static override args = registryName;
  static override flags = { ...serverFlags, yes: yesFlag, format: formatFlag };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(RegistriesRemove, this.argumentsOf(RegistriesRemove));
    const client = await this.connect(flags);
    const { revision } = await getResource(client, 'registry', args.name);
    if (!flags.yes) {
      const question = `Remove the registry ${args.name} of ${client.origin}? [y/N] `;
      await confirm(question, ['y', 'yes'], { input: process.stdin, output: process.stderr });
    }
    await removeResource(client, 'registry', { name: args.name, revision });
    this.print(flags.format, { removed: args.name }, `registry ${args.name} is removed`);
  }
}
