import { AdminCommand } from '../../command-line/admin-command.ts';
import {
  clearClaimsFlag,
  definitionFlag,
  sourceName,
  sourceFlags,
} from '../../command-line/flags/admin-flags.ts';
import { claimFlag } from '../../command-line/flags/entry-flags.ts';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { serverFlags } from '../../command-line/flags/server-flags.ts';
import { getResource } from '@portolan/registry-client';
import { sourceDefinition, sourceWish } from '../../admin/source-definition.ts';
import { putDefinition } from '../../admin/put-definition.ts';

export default class SourcesChange extends AdminCommand {
  static override summary = 'Change a source by flags, or replace its definition from a file';
  static override description =
    'Settings without a flag stay unchanged, also those of --set; --file replaces everything. If another ' +
    'user changed the source at the same time, the command fails without a change. Sources of the ' +
    'configuration file of the server can only be changed there.';
  static override examples = [
    '<%= config.bin %> sources change partners --interval 10m',
    '<%= config.bin %> sources change partners --set url=https://partner.example/v2/servers.json',
  ];
  static override args = sourceName;
  static override flags = {
    ...serverFlags,
    ...sourceFlags,
    claim: claimFlag,
    'clear-claims': clearClaimsFlag,
    file: definitionFlag,
    format: formatFlag,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(SourcesChange, this.argumentsOf(SourcesChange));
    const wish = sourceWish(flags, await this.claimsOf(flags));
    const whole = await this.definitionOf(args.name, flags, Object.values(wish));
    const client = await this.connect(flags);
    const { body, revision } = await getResource(client, 'source', args.name);
    const definition = whole ?? sourceDefinition(body, wish);
    const changed = await putDefinition(client, 'source', { name: args.name, definition }, { revision });
    this.print(flags.format, changed, `source ${args.name} is changed`);
  }
}
