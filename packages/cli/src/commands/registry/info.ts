import { Args } from '@oclif/core';
import type { ServerInfo } from '@portolan/registry-client';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { lookupFlags } from '../../command-line/flags/lookup-flags.ts';
import { lookupContextWith } from '../../command-line/lookup-context.ts';
import { refreshFlag } from '../../command-line/flags/refresh-flag.ts';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import { formatDemands } from '../../terminal/format/format-grants.ts';
import { printable } from '../../terminal/printable.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { describeRegistryServer } from '@portolan/registry-client/lookup';

export default class RegistryInfo extends WorkloadCommand {
  static override summary = 'Show a server of the registry';
  static override description =
    'Name the server as for `run`: by its full name, or by the part after the slash if that is unique.';
  static override examples = [
    '<%= config.bin %> registry info dev.acme/weather',
    '<%= config.bin %> registry info weather --format json',
  ];
  static override args = {
    server: Args.string({ description: 'name of the server', required: true, ignoreStdin: true }),
  };
  static override flags = {
    ...lookupFlags,
    format: formatFlag,
    refresh: refreshFlag,
    config: workloadConfigFlag,
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(RegistryInfo);
    return await this.withWorkloads(flags, async (context, signal) => {
      const lookup = await lookupContextWith(flags, context, signal);
      const options = { refresh: flags.refresh === true, signal };
      const { warnings, ...info } = await describeRegistryServer(args.server, lookup, options);
      this.tell(warnings.map((warning) => `warning: ${printable(warning)}`));
      this.print(flags.format, info, formatInfo(info));
    });
  }
}

function formatInfo(info: Omit<ServerInfo, 'warnings'>): string {
  const pairs: readonly (readonly [name: string, value: string | undefined])[] = [
    ['Name', info.name],
    ['Title', info.title],
    ['Description', info.description],
    ['Version', info.version],
    ['Status', info.status],
    ['Type', info.type],
    ['Runs', info.runs],
    ['Transport', info.transport],
    ['Tier', info.tier],
    ['Stars', info.stars?.toString()],
    ['Repository', info.repository],
    ['Provenance', info.hasProvenance ? 'known: the signer of the image can be verified' : undefined],
    ['Tools', info.tools.join(', ')],
    ['Tags', info.tags.join(', ')],
    ['Registry', info.registry],
  ];
  const shown = pairs.filter(([, value]) => value !== undefined && value !== '');
  const width = Math.max(...shown.map(([name]) => name.length)) + 2;
  const lines = shown.map(([name, value]) => `${`${name}:`.padEnd(width)}${printable(value ?? '')}`);
  const demands = formatDemands('`portolan run` asks before it opens:', info);
  return [...lines, ...info.inputs.map(formatInput), ...demands].join('\n');
}

function formatInput({ name, description, isRequired, isSecret }: ServerInfo['inputs'][number]): string {
  const kinds = [isRequired ? 'required' : 'optional', ...(isSecret ? ['secret'] : [])].join(', ');
  return printable(`Input:  ${name} (${kinds})${description === undefined ? '' : `: ${description}`}`);
}
