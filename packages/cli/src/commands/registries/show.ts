import { registryName } from '../../command-line/flags/admin-flags.ts';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { serverFlags } from '../../command-line/flags/server-flags.ts';
import { ServerCommand } from '../../command-line/server-command.ts';
import { getResource } from '@portolan/registry-client';
import { printRegistry } from '../../admin/print-resources.ts';

export default class RegistriesShow extends ServerCommand {
  static override summary = 'Show the definition of a registry';
  static override args = registryName;
  static override flags = { ...serverFlags, format: formatFlag };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(RegistriesShow, this.argumentsOf(RegistriesShow));
    const { body } = await getResource(await this.connect(flags), 'registry', args.name);
    this.print(flags.format, body, printRegistry(body));
  }
}
