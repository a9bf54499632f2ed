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
  static override summary = 'Give a published entry new claims, on all of its versions';
  static override description =
    'The claims take the place of all the entry has. An entry without claims is seen by superAdmins only, where ' +
    'authorization is configured.';
  static override args = { entry: entryArgument };
  static override flags = {
    ...serverFlags,
    claim: claimFlag,
    clear: Flags.boolean({ description: 'take all claims away', default: false }),
    'if-match': Flags.string({
      description: 'only if the claims still have this revision, as `portolan entries claims get` shows it',
      helpValue: 'REVISION',
    }),
    source: managedSourceFlag,
    format: formatFlag,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(EntriesClaimsSet, this.argumentsOf(EntriesClaimsSet));
    const entry = parseEntryAddress(args.entry);
    const given = await parseClaims(flags.claim);
    if (flags.clear === (given !== undefined)) throw badArgument('expected one of --claim and --clear');
    const claims = given ?? {};
    const client = await this.connect(flags);
    await setClaims(client, entry, { claims, source: flags.source, ifMatch: flags['if-match'] });
    this.print(
      flags.format,
      { ...entry, claims },
      printable(`claims of ${printEntry(entry)}: ${printClaims(claims)}`),
    );
  }
}
