import { Flags } from '@oclif/core';
import type { WorkloadListing } from '@portolan/workload';
import { boolean, string, stringArray } from '../command-line/flags/flag-types.ts';
import { workloadConfigFlag } from '../command-line/flags/workload-config-flag.ts';
import { formatWorkloads } from '../terminal/format/format-workloads.ts';
import { terminalLook } from '../terminal/terminal-look.ts';
import { WorkloadCommand } from '../command-line/workload-command.ts';
import { listWorkloads } from '@portolan/workload/list';
import { parseLabel } from '@portolan/run-spec';

export default class List extends WorkloadCommand {
  static override summary = 'List workloads with their address and status';
  static override description =
    'Aliases: `ls` and `ps`. Stopped workloads are only listed with --all. The format `mcpservers` is the ' +
    'configuration format of many clients.';
  static override examples = [
    '<%= config.bin %> list',
    '<%= config.bin %> list --all -o wide',
    '<%= config.bin %> list --all --format json',
    '<%= config.bin %> list --group trial --label team=maps',
  ];
  static override flags = {
    all: boolean({ char: 'a', description: 'include stopped workloads' }),
    format: Flags.option({
      description: 'output format',
      options: ['text', 'json', 'mcpservers'] as const,
      default: 'text' as const,
    })(),
    output: Flags.option({
      char: 'o',
      description: '`wide`: also group and port, without shortened names',
      options: ['wide'] as const,
    })(),
    group: string({ description: 'list only workloads of this group', helpValue: 'NAME' }),
    label: stringArray({
      char: 'l',
      description: 'list only workloads with this label; repeatable',
      helpValue: 'KEY=VALUE',
    }),
    config: workloadConfigFlag,
  };

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(List);
    const labels = (flags.label ?? []).map((text) => parseLabel(text, '--label'));
    const filter = {
      all: flags.all === true,
      ...(flags.group === undefined ? {} : { group: flags.group }),
      labels: Object.fromEntries(labels.map(({ key, value }) => [key, value])),
    };
    return await this.withWorkloads({ ...flags, settings: 'wanted' }, async (context, signal) => {
      const { workloads, notes } = await listWorkloads(context, filter, signal);
      this.tell(notes.map((note) => `note: ${note}`));
      const form = flags.format === 'text' ? undefined : FORMS[flags.format];
      this.log(
        form === undefined
          ? this.#text(workloads, flags.output === 'wide', context.clock())
          : form(workloads),
      );
    });
  }

  #text(workloads: readonly WorkloadListing[], isWide: boolean, now: Date): string {
    if (workloads.length === 0) return 'No MCP servers found';
    return formatWorkloads(workloads, { now, isWide, ...terminalLook(process.stdout, process.env) });
  }
}

const FORMS: Readonly<Record<'json' | 'mcpservers', (workloads: readonly WorkloadListing[]) => string>> = {
  json: (workloads) => JSON.stringify(workloads, null, 2),
  mcpservers: (workloads) =>
    JSON.stringify({ mcpServers: Object.fromEntries(workloads.flatMap(clientEntry)) }, null, 2),
};

/**
 * Returns the entry of a workload for a client's configuration; undefined for a workload without an address.
 */
function clientEntry({ name, url, proxy_mode: mode, transport }: WorkloadListing) {
  if (url === '') return [];
  const spoken = mode === '' ? transport : mode;
  return [[name, { url, type: spoken === '' ? 'streamable-http' : spoken }] as const];
}
