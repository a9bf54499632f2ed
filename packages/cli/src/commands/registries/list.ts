import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { serverFlags } from '../../command-line/flags/server-flags.ts';
import { ServerCommand } from '../../command-line/server-command.ts';
import { listResources } from '@portolan/registry-client';
import { printRegistries } from '../../admin/print-resources.ts';

export default class RegistriesList extends ServerCommand {
  static override summary = 'List the registries of a registry server with their definitions';
  static override description = 'Lists the registries that you may see. Needs the role manageRegistries.';
  static override flags = { ...serverFlags, format: formatFlag };

  override async run(): Promise<void> {
    const { flags } = await this.parse(RegistriesList, this.argumentsOf(RegistriesList));
    const registries = await listResources(await this.connect(flags), 'registry');
    this.print(flags.format, { registries }, printRegistries(registries));
  }
}
