import { sourceName, yesFlag } from '../../command-line/flags/admin-flags.ts';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { serverFlags } from '../../command-line/flags/server-flags.ts';
import { ServerCommand } from '../../command-line/server-command.ts';
import { confirm } from '../../terminal/ask/confirm.ts';
import { getResource, removeResource } from '@portolan/registry-client';
import { countEntries } from '../../admin/print-resources.ts';

export default class SourcesRemove extends ServerCommand {
  static override summary = 'Remove a source with all of its entries';
  static override description =
    'The server refuses this while a registry lists the source. Asks for a confirmation, unless --yes is ' +
    'given.';
  static override args = sourceName;
  static override flags = { ...serverFlags, yes: yesFlag, format: formatFlag };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(SourcesRemove, this.argumentsOf(SourcesRemove));
    const client = await this.connect(flags);
    const { body, revision } = await getResource(client, 'source', args.name);
    if (!flags.yes) {
      const question = `Remove the source ${args.name} of ${client.origin}${countEntries(body)} for good? [y/N] `;
      await confirm(question, ['y', 'yes'], { input: process.stdin, output: process.stderr });
    }
    await removeResource(client, 'source', { name: args.name, revision });
    this.print(flags.format, { removed: args.name }, `source ${args.name} is removed`);
  }
}
