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
    const { readKinds } = await import('@portolan/kernel');
    const table = await readKinds(await bootOptions({ config: flags.config, debug: flags.debug }));
    const sorts = {
      source: table.sources,
      'auth provider': table.authProviders,
      middleware: table.middleware,
      runtime: table.runtimes,
      transport: table.transports,
      scheme: table.schemes,
      'secret store': table.secretStores,
    };
    const kinds = Object.entries(sorts).flatMap(([sort, ofSort]) =>
      [...ofSort].map(
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
          sort,
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
