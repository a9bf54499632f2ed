import type { WorkloadDescription } from '@portolan/workload';
import { workloadName } from '../command-line/flags/choice-flags.ts';
import { formatFlag } from '../command-line/flags/format-flag.ts';
import { workloadConfigFlag } from '../command-line/flags/workload-config-flag.ts';
import { printable } from '../terminal/printable.ts';
import { formatMembers } from '../virtual-server/format-members.ts';
import { WorkloadCommand } from '../command-line/workload-command.ts';
import { describeWorkload } from '@portolan/workload/operations';

export default class Status extends WorkloadCommand {
  static override summary = 'Show the status of a workload, and of the members of a virtual server';
  static override examples = [
    '<%= config.bin %> status weather',
    '<%= config.bin %> status weather --format json',
  ];
  static override args = workloadName;
  static override flags = { config: workloadConfigFlag, format: formatFlag };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(Status);
    return await this.withWorkloads({ ...flags, settings: 'wanted' }, async (context, signal) => {
      const workload = await describeWorkload(args.name, context, signal);
      this.print(flags.format, workload, formatWorkload(workload));
    });
  }
}

function loginOf({ name, login }: WorkloadDescription): string {
  if (login === undefined) return '';
  const { issuer, subject, scopes, missing_scopes: missing, expires_at: until } = login;
  return [
    `${subject ?? 'somebody'} at ${issuer}`,
    scopes.length === 0 ? '' : `for ${scopes.join(' ')}`,
    until === undefined ? '' : `first token until ${until}`,
    missing.length === 0 ? '' : `lacking ${missing.join(' ')} (portolan login ${name} asks for it)`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function formatWorkload(workload: WorkloadDescription): string {
  const { status, status_context: why } = workload;
  const pairs: readonly (readonly [string, string])[] = [
    ['Name', workload.name],
    ['Status', printable(why === '' ? status : `${status} (${why})`)],
    ['Health', workload.health],
    ['Package', workload.package],
    ['URL', workload.url],
    ['Port', workload.port === 0 ? '' : String(workload.port)],
    ['Transport', workload.transport],
    ['Proxy Mode', workload.proxy_mode],
    ['Group', workload.group],
    ['Created', workload.created_at],
    ['Remote', String(workload.remote)],
    ['Uptime', workload.uptime],
    ['Login', printable(loginOf(workload))],
    ['Credentials', printable(workload.credentials ?? '')],
    ['Protected', printable(workload.protections.join('; '))],
    ['Note', printable(workload.notice)],
  ];
  const width = Math.max(...pairs.map(([name]) => name.length)) + 2;
  const lines = pairs
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${`${name}:`.padEnd(width)}${value}`);
  const { members } = workload;
  return [...lines, ...(members === undefined ? [] : ['', ...formatMembers(members)])].join('\n');
}
