import { entryArgument, managedSourceFlag } from '../../../command-line/flags/entry-flags.ts';
import { formatFlag } from '../../../command-line/flags/format-flag.ts';
import { serverFlags } from '../../../command-line/flags/server-flags.ts';
import { ServerCommand } from '../../../command-line/server-command.ts';
import { parseEntryAddress } from '../../../publish/entry-address.ts';
import { getClaims } from '@portolan/registry-client';
import { printClaims } from '../../../publish/parse-claims.ts';
import { printable } from '../../../terminal/printable.ts';

export default class EntriesClaimsGet extends ServerCommand {
  static override summary = 'Show the claims of a published entry';
  static override description =
    'All versions of the entry have the same claims. The revision is for `portolan entries claims set ' +
    '--if-match`.';
  static override args = { entry: entryArgument };
  static override flags = { ...serverFlags, source: managedSourceFlag, format: formatFlag };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(EntriesClaimsGet, this.argumentsOf(EntriesClaimsGet));
    const entry = parseEntryAddress(args.entry);
    const client = await this.connect(flags);
    const { claims, revision } = await getClaims(client, entry, flags.source);
    const text = [`claims    ${printClaims(claims)}`, `revision  ${revision ?? '-'}`].map(printable);
    this.print(flags.format, { ...entry, claims, revision: revision ?? null }, text.join('\n'));
  }
}
