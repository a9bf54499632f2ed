import { AdminCommand } from '../../command-line/admin-command.ts';
import { definitionFlag, kindFlag, sourceName, sourceFlags } from '../../command-line/flags/admin-flags.ts';
import { claimFlag } from '../../command-line/flags/entry-flags.ts';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { serverFlags } from '../../command-line/flags/server-flags.ts';
import { sourceDefinition, sourceWish } from '../../admin/source-definition.ts';
import { putDefinition } from '../../admin/put-definition.ts';

export default class SourcesCreate extends AdminCommand {
  static override summary = 'Create a source, from flags or a file';
  static override description =
    'The server syncs the source at once, and serves it in the registries that list it. Needs the role ' +
    'manageSources.';
  static override examples = [
    '<%= config.bin %> sources create published --kind managed --claim org=acme',
    '<%= config.bin %> sources create partners --kind file --set url=https://partner.example/servers.json --interval 1h --include "com.partner/*"',
    '<%= config.bin %> sources create partners --file partners.yaml',
  ];
  static override args = sourceName;
  static override flags = {
    ...serverFlags,
    kind: kindFlag,
    ...sourceFlags,
    claim: claimFlag,
    file: definitionFlag,
    format: formatFlag,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(SourcesCreate, this.argumentsOf(SourcesCreate));
    const wish = sourceWish(flags, await this.claimsOf(flags));
    const whole = await this.definitionOf(args.name, flags, Object.values(wish));
    const definition = whole ?? sourceDefinition(undefined, wish);
    const client = await this.connect(flags);
    const made = await putDefinition(client, 'source', { name: args.name, definition }, 'if-new');
    this.print(flags.format, made, `source ${args.name} is created`);
  }
}
