import { Flags } from '@oclif/core';
import { listEntries, type ListedVersion } from '@portolan/registry-client';
import { badArgument } from '../../terminal/terminal-errors.ts';
import { typeFlag } from '../../command-line/flags/entry-flags.ts';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { serverFlags } from '../../command-line/flags/server-flags.ts';
import { formatTable } from '../../terminal/format/format-table.ts';
import { ServerCommand } from '../../command-line/server-command.ts';
import { printClaims } from '../../publish/parse-claims.ts';
import { printable } from '../../terminal/printable.ts';

export default class EntriesList extends ServerCommand {
  static override summary = 'List every version of a source or a registry, with its claims';
  static override description =
    'Needs the role manageSources or manageRegistries. Lists all entries of the source, or of all sources of ' +
    'the registry, also those that an entry of an earlier source hides.';
  static override flags = {
    ...serverFlags,
    registry: Flags.string({ description: 'list the sources of this registry', helpValue: 'NAME' }),
    source: Flags.string({ description: 'list this source', helpValue: 'NAME' }),
    type: typeFlag({ description: 'list only entries of this type' }),
    search: Flags.string({
      description: 'list only entries with this text in name, title or description',
      helpValue: 'TEXT',
    }),
    format: formatFlag,
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(EntriesList, this.argumentsOf(EntriesList));
    const parent = parentOf(flags);
    const client = await this.connect(flags);
    const { type, search } = flags;
    const entries: ListedVersion[] = [];
    for await (const entry of listEntries(client, parent, { type, search })) entries.push(entry);
    this.print(flags.format, { entries }, flags.format === 'json' ? '' : await toTable(entries));
  }
}

function parentOf(flags: { readonly registry?: string | undefined; readonly source?: string | undefined }) {
  const { registry, source } = flags;
  if (registry !== undefined && source === undefined) return { of: 'registry', name: registry } as const;
  if (source !== undefined && registry === undefined) return { of: 'source', name: source } as const;
  throw badArgument('expected one of --registry and --source');
}

async function toTable(entries: readonly ListedVersion[]): Promise<string> {
  const rows = entries.map(({ type, name, version, status, source, claims }) =>
    [type, name, version, status ?? '-', source ?? '-', printClaims(claims)].map(printable),
  );
  return formatTable(['type', 'name', 'version', 'status', 'source', 'claims'], rows);
}
