import { AdminCommand } from '../../command-line/admin-command.ts';
import { definitionFlag, registryFlags, registryName } from '../../command-line/flags/admin-flags.ts';
import { claimFlag } from '../../command-line/flags/entry-flags.ts';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { serverFlags } from '../../command-line/flags/server-flags.ts';
import { registryDefinition } from '../../admin/registry-definition.ts';
import { putDefinition } from '../../admin/put-definition.ts';

export default class RegistriesCreate extends AdminCommand {
  static override summary = 'Create a registry of sources, from flags or a file';
  static override description =
    'If several sources have an entry, the first one takes precedence. Needs the role manageRegistries.';
  static override examples = [
    '<%= config.bin %> registries create main --sources published,partners --claim org=acme',
    '<%= config.bin %> registries create main --file main.yaml',
  ];
  static override args = registryName;
  static override flags = {
    ...serverFlags,
    ...registryFlags,
    claim: claimFlag,
    file: definitionFlag,
    format: formatFlag,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(RegistriesCreate, this.argumentsOf(RegistriesCreate));
    const wish = { sources: flags.sources, claims: await this.claimsOf(flags) };
    const whole = await this.definitionOf(args.name, flags, Object.values(wish));
    const definition = whole ?? registryDefinition(undefined, wish);
    const client = await this.connect(flags);
    const made = await putDefinition(client, 'registry', { name: args.name, definition }, 'if-new');
    this.print(flags.format, made, `registry ${args.name} is created`);
  }
}
