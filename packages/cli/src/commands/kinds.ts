import type { KindList } from '@portolan/kernel';
import { BaseCommand } from '../command-line/base-command.ts';
import { bootOptions } from '../context/boot-options.ts';
import { configFlag } from '../command-line/flags/config-flag.ts';
import { formatFlag } from '../command-line/flags/format-flag.ts';
import { formatTable } from '../terminal/format-table.ts';

export default class Kinds extends BaseCommand {
  static override summary = 'List every kind that a configuration can use, and the plugin that brings it';
  static override flags = { config: configFlag, format: formatFlag };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Kinds, this.argumentsOf(Kinds));
    const { KIND_LISTS, readKinds } = await import('@portolan/kernel');
    const table = await readKinds(await bootOptions({ config: flags.config, debug: flags.debug }));
    // The keys of the table, and no others.
    const lists = Object.keys(KIND_LISTS) as readonly KindList[];
    const kinds = lists.flatMap((list) =>
      [...table[list]].map(
        ([
          kind,
          {
            plugin,
            file,
            shipped,
            installed,
            kind: { config },
          },
        ]) => ({
          sort: KIND_LISTS[list].sort,
          kind,
          description: config.description ?? '',
          plugin,
          origin: shipped ? 'shipped' : installed === true ? 'installed' : 'configured',
          file,
        }),
      ),
    );
    const rows = kinds.map((one) => [one.sort, one.kind, one.plugin, one.origin, one.file]);
    this.print(flags.format, kinds, formatTable(['sort', 'kind', 'plugin', 'origin', 'file'], rows));
  }
}
