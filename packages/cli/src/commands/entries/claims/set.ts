import { Flags } from '@oclif/core';
import { badArgument } from '../../../terminal/terminal-errors.ts';
import { claimFlag, entryArgument, managedSourceFlag } from '../../../command-line/flags/entry-flags.ts';
import { formatFlag } from '../../../command-line/flags/format-flag.ts';
import { serverFlags } from '../../../command-line/flags/server-flags.ts';
import { ServerCommand } from '../../../command-line/server-command.ts';
import { parseEntryAddress, printEntry } from '../../../publish/entry-address.ts';
import { setClaims } from '@portolan/registry-client';
import { parseClaims, printClaims } from '../../../publish/parse-claims.ts';
import { printable } from '../../../terminal/printable.ts';

export default class EntriesClaimsSet extends ServerCommand {
  static override summary = 'Set the claims of a published entry, for all of its versions';
  static override description =
    'Replaces all claims of the entry. If authorization is configured, only the role superAdmin sees an entry ' +
    'without claims.';
  static override args = { entry: entryArgument };
  static override flags = {
    ...serverFlags,
    claim: claimFlag,
    clear: Flags.boolean({ description: 'remove all claims', default: false }),
    'if-match': Flags.string({
      description: 'fail unless the claims still have this revision of `portolan entries claims get`',
      helpValue: 'REVISION',
    }),
    source: managedSourceFlag,
    format: formatFlag,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(EntriesClaimsSet, this.argumentsOf(EntriesClaimsSet));
    const entry = parseEntryAddress(args.entry);
    const input = await parseClaims(flags.claim);
    if (flags.clear === (input !== undefined)) throw badArgument('expected one of --claim and --clear');
    const claims = input ?? {};
    const client = await this.connect(flags);
    await setClaims(client, entry, { claims, source: flags.source, ifMatch: flags['if-match'] });
    this.print(
      flags.format,
      { ...entry, claims },
      printable(`claims of ${printEntry(entry)}: ${printClaims(claims)}`),
    );
  }
}
