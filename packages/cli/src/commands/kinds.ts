import type { Host } from '@portolan/plugin-api';
import { KIND_LISTS, type KindList } from '@portolan/kernel';
import { BaseCommand } from '../command-line/base-command.ts';
import { bootOptions } from '../context/boot-options.ts';
import { configFlag } from '../command-line/flags/config-flag.ts';
import { formatFlag } from '../command-line/flags/format-flag.ts';
import { formatTable } from '../terminal/format/format-table.ts';
import { readKinds } from '@portolan/kernel/check-config';

const HOSTS: readonly Host[] = ['registry-server', 'workload'];

/** Lists of kinds that only the registry server loads, and whose kinds do not state where they run. */
const SERVER_LISTS: readonly KindList[] = ['sources', 'pages'];

export default class Kinds extends BaseCommand {
  static override summary = 'List all kinds that a configuration can use, with their plugins';
  static override description =
    'LOADED FOR names the programs that load a kind with this configuration. Workload commands load every ' +
    'installed plugin; the registry server loads the plugins in "plugins" of its configuration.';
  static override flags = { config: configFlag, format: formatFlag };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Kinds, this.argumentsOf(Kinds));
    const table = await readKinds(await bootOptions({ config: flags.config, debug: flags.debug }));
    // SAFETY: `KIND_LISTS` has exactly these keys.
    const lists = Object.keys(KIND_LISTS) as readonly KindList[];
    const unnamed = new Set<string>();
    const kinds = lists.flatMap((list) =>
      [...table[list]].map(([name, { plugin, file, shipped, installedAs, kind }]) => {
        const hosts = hostsOf(list, kind);
        const loadedFor = hosts.filter((host) => installedAs === undefined || host === 'workload');
        if (installedAs !== undefined && loadedFor.length < hosts.length) unnamed.add(installedAs);
        const origin = shipped ? 'shipped' : installedAs === undefined ? 'configured' : 'installed';
        const { description = '' } = kind.config;
        return { sort: KIND_LISTS[list].sort, kind: name, description, plugin, origin, loadedFor, file };
      }),
    );
    const rows = kinds.map((one) => [
      one.sort,
      one.kind,
      one.plugin,
      one.origin,
      one.loadedFor.join(', ') || 'nothing',
      one.file,
    ]);
    const header = ['sort', 'kind', 'plugin', 'origin', 'loaded for', 'file'];
    this.print(flags.format, kinds, formatTable(header, rows));
    for (const plugin of unnamed) {
      this.logToStderr(
        `note: the registry server loads the kinds of the installed plugin "${plugin}" only when "plugins" of its configuration names it`,
      );
    }
  }
}

function hostsOf(list: KindList, kind: object): readonly Host[] {
  const named = 'hosts' in kind && Array.isArray(kind.hosts) ? kind.hosts : undefined;
  if (named !== undefined) return HOSTS.filter((host) => named.includes(host));
  return [SERVER_LISTS.includes(list) ? 'registry-server' : 'workload'];
}
