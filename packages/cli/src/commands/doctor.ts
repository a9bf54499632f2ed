import { styleText } from 'node:util';
import type { Examined } from '@portolan/workload';
import { boolean } from '../command-line/flags/flag-types.ts';
import { formatFlag } from '../command-line/flags/format-flag.ts';
import { workloadConfigFlag } from '../command-line/flags/workload-config-flag.ts';
import { WorkloadCommand } from '../command-line/workload-command.ts';
import { examine, repairFindings } from '@portolan/workload/doctor';

const MARKS = {
  fine: styleText('green', '✓'),
  notice: styleText('yellow', '!'),
  problem: styleText('red', '✗'),
} as const;

export default class Doctor extends WorkloadCommand {
  static override summary = 'Diagnose what keeps workloads from running, and find leftovers';
  static override description =
    'Checks the container engine, the state of each workload, containers, ports, names, free disk space, ' +
    'folders, client configurations and built images, and suggests what to do. The exit status is 1 while ' +
    'there are problems.';
  static override examples = ['<%= config.bin %> doctor', '<%= config.bin %> doctor --fix'];
  static override flags = {
    fix: boolean({ description: 'repair what can be repaired without data loss, and report it' }),
    format: formatFlag,
    config: workloadConfigFlag,
  };

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(Doctor);
    return await this.withWorkloads(flags, async (context, signal) => {
      const matches = await examine(context, signal);
      const findings = flags.fix === true ? await repairFindings(matches, signal) : matches;
      const rows = findings.map(({ repair, ...finding }) => ({
        ...finding,
        repairable: repair !== undefined,
      }));
      this.print(flags.format, rows, findings.map(describe).join('\n'));
      return findings.some(isOpen) ? 1 : 0;
    });
  }
}

function isOpen({ level, repaired }: Examined): boolean {
  return level === 'problem' && repaired !== true;
}

function describe({ check, level, found, remedy, repair, repaired }: Examined): string {
  const line = `${MARKS[level]} ${check}: ${found}`;
  if (repaired === true) return `${line}\n    repaired`;
  const tried = repaired === undefined ? [] : [`could not be repaired: ${repaired}`];
  const offer = repair === undefined || repaired !== undefined ? [] : ['portolan doctor --fix repairs it'];
  const advice = [...tried, ...(remedy === undefined ? [] : [remedy]), ...offer];
  return [line, ...advice.map((text) => `    ${text}`)].join('\n');
}
