import { Args, Flags } from '@oclif/core';
import { confirm } from '../../terminal/ask/confirm.ts';
import { entryArgument, managedSourceFlag } from '../../command-line/flags/entry-flags.ts';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { serverFlags } from '../../command-line/flags/server-flags.ts';
import { ServerCommand } from '../../command-line/server-command.ts';
import { parseEntryAddress, parseVersion, printEntry } from '../../publish/entry-address.ts';
import { pathOfVersion } from '@portolan/registry-client';

export default class EntriesDelete extends ServerCommand {
  static override summary = 'Delete a version of a published entry permanently';
  static override description =
    'The version can be published again afterwards, with other content. To keep the version reserved, use ' +
    '`portolan entries withdraw`. Deleting the last version deletes the entry with its claims.';
  static override args = {
    entry: entryArgument,
    version: Args.string({
      description: 'exact version, not `latest`',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    ...serverFlags,
    source: managedSourceFlag,
    yes: Flags.boolean({ char: 'y', description: 'skip the confirmation', default: false }),
    format: formatFlag,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(EntriesDelete, this.argumentsOf(EntriesDelete));
    const entry = parseEntryAddress(args.entry);
    const path = pathOfVersion(entry, parseVersion(args.version));
    const client = await this.connect(flags);
    const subject = printEntry(entry, args.version);
    if (!flags.yes) {
      const terminal = { input: process.stdin, output: process.stderr };
      await confirm(`Delete ${subject} of ${client.origin} for good? [y/N] `, ['y', 'yes'], terminal);
    }
    await client.ask({ method: 'DELETE', path, query: { source: flags.source } });
    this.print(flags.format, { deleted: { ...entry, version: args.version } }, `deleted ${subject}`);
  }
}
