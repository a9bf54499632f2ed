import { AdminCommand } from '../../command-line/admin-command.ts';
import {
  clearClaimsFlag,
  definitionFlag,
  registryFlags,
  registryName,
} from '../../command-line/flags/admin-flags.ts';
import { claimFlag } from '../../command-line/flags/entry-flags.ts';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { serverFlags } from '../../command-line/flags/server-flags.ts';
import { getResource } from '@portolan/registry-client';
import { registryDefinition } from '../../admin/registry-definition.ts';
import { putDefinition } from '../../admin/put-definition.ts';

export default class RegistriesChange extends AdminCommand {
  static override summary = 'Change a registry by flags, or replace its definition from a file';
  static override description =
    'Settings without a flag stay unchanged. If another user changed the registry at the same time, the ' +
    'command fails without a change. Registries of the configuration file of the server can only be changed ' +
    'there.';
  static override examples = ['<%= config.bin %> registries change main --sources published'];
  static override args = registryName;
  static override flags = {
    ...serverFlags,
    ...registryFlags,
    claim: claimFlag,
    'clear-claims': clearClaimsFlag,
    file: definitionFlag,
    format: formatFlag,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(RegistriesChange, this.argumentsOf(RegistriesChange));
    const wish = { sources: flags.sources, claims: await this.claimsOf(flags) };
    const whole = await this.definitionOf(args.name, flags, Object.values(wish));
    const client = await this.connect(flags);
    const { body, revision } = await getResource(client, 'registry', args.name);
    const definition = whole ?? registryDefinition(body, wish);
    const changed = await putDefinition(client, 'registry', { name: args.name, definition }, { revision });
    this.print(flags.format, changed, `registry ${args.name} is changed`);
  }
}
