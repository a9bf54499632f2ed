import type { Command } from '@oclif/core';
import type { WorkloadChange } from '@portolan/workload';
import path from 'node:path';
import { workloadName } from '../command-line/flags/choice-flags.ts';
import { boolean, stringArray } from '../command-line/flags/flag-types.ts';
import { formatFlag } from '../command-line/flags/format-flag.ts';
import { settingFlags } from '../command-line/flags/setting-flags.ts';
import {
  gatewayImageFlag,
  startTimeoutOf,
  startTimeoutFlag,
  trustFlag,
} from '../command-line/flags/start-flags.ts';
import { workloadConfigFlag } from '../command-line/flags/workload-config-flag.ts';
import { StartingCommand } from '../command-line/starting-command.ts';
import { toRunRequest } from '../command-line/to-run-request.ts';
import { formatDifference } from '../terminal/format/format-difference.ts';
import { badArgument } from '../terminal/terminal-errors.ts';
import { changeWorkload } from '@portolan/workload/run';

/** Flags of `run`; `--name` is hidden, and only leads to an error that says how to rename a workload. */
const changeableFlags: typeof settingFlags = {
  ...settingFlags,
  name: { ...settingFlags.name, hidden: true },
};

export default class Change extends StartingCommand {
  static override summary = 'Change settings of a workload and restart it';
  static override description =
    'A flag of `portolan run` replaces its setting. Lists whose items have names (--env, --secret, --label, ' +
    '--volume, --publish, --remote-forward-headers) are merged: a flag adds an item, or replaces the item of ' +
    'the same name. Other lists are replaced. --unset resets a setting to its default. Words after `--` ' +
    'replace the arguments of the server. The command shows the difference first. If the workload does not ' +
    'start with the new settings, it runs again with the old ones.';
  static override usage = 'change NAME [FLAGS] [-- ARGS...]';
  static override examples: Command.Example[] = [
    {
      description: 'restrict the tools, and keep all other settings',
      command: '<%= config.bin %> change weather --tools get-forecast',
    },
    {
      description: 'show what would change',
      command: '<%= config.bin %> change weather -e REGION=us --proxy-port 9000 --dry-run',
    },
    {
      description: 'remove a variable and the policy',
      command: '<%= config.bin %> change weather --unset env=REGION --unset authz-config',
    },
  ];
  static override args = workloadName;
  static override flags = {
    ...changeableFlags,
    unset: stringArray({
      helpGroup: 'CHANGE',
      description:
        'reset a setting to its default: a flag without dashes, or args; FLAG=ITEM removes an item, such as env=REGION; repeatable',
      helpValue: 'FLAG[=ITEM]',
    }),
    'dry-run': boolean({
      helpGroup: 'CHANGE',
      description: 'show the difference, without a change',
      fallback: 'false',
    }),
    'start-timeout': startTimeoutFlag,
    'gateway-image': gatewayImageFlag,
    trust: trustFlag,
    config: workloadConfigFlag,
    format: formatFlag,
  };

  override async run(): Promise<void> {
    const { flags, args, rest } = await this.readArguments(Change, { takesRest: true });
    const startTimeoutMs = startTimeoutOf(flags);
    const { flags: runFlags } = toRunRequest(undefined, flags, rest);
    const change = { flags: runFlags, args: rest.length > 0 ? rest : undefined, unset: flags.unset ?? [] };
    if (Object.keys(runFlags).length === 0 && change.args === undefined && change.unset.length === 0) {
      throw badArgument(
        'change: found no setting; expected flags of `portolan run`, --unset, or arguments after --',
      );
    }
    await this.withWorkloads({ ...flags, needsKinds: true }, async (context, signal) => {
      const progress = this.progress();
      const dryRun = flags['dry-run'] === true;
      const observer = this.observer(progress, () => undefined, flags.debug);
      const file = flags.config === undefined ? {} : { configFile: path.resolve(flags.config) };
      const program = this.supervisorProgram();
      const options = { observer, program, startTimeoutMs, trust: flags.trust, dryRun, ...file };
      try {
        const done = await changeWorkload(args.name, change, context, options, signal);
        progress.clear();
        this.#report(done, flags.format);
      } finally {
        progress.clear();
      }
    });
  }

  #report({ outcome, ...difference }: WorkloadChange, format: string): void {
    if (outcome === undefined) {
      this.print(format, difference, formatDifference(difference).join('\n'));
      return;
    }
    const { url, instance, status } = outcome;
    this.print(format, { ...difference, url, instance, status }, url);
  }
}
