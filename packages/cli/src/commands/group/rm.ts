import { Args } from '@oclif/core';
import { confirm } from '../../terminal/ask/confirm.ts';
import { boolean } from '../../command-line/flags/flag-types.ts';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import { reportResults } from '../../terminal/report-results.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { getGroup } from '@portolan/workload/groups';
import { removeGroup, workloadsInGroup } from '@portolan/workload/operations';

export default class GroupRemove extends WorkloadCommand {
  static override summary = 'Remove a group; its workloads move to the group default';
  static override description = 'Asks for a confirmation if the group has workloads.';
  static override args = {
    name: Args.string({ description: 'name of the group', required: true, ignoreStdin: true }),
  };
  static override flags = {
    'with-workloads': boolean({ description: 'remove the workloads too' }),
    yes: boolean({ char: 'y', description: 'skip the confirmation' }),
    config: workloadConfigFlag,
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(GroupRemove);
    const withWorkloads = flags['with-workloads'] === true;
    return await this.withWorkloads(flags, async (context, signal) => {
      await getGroup(args.name, context);
      const workloads = await workloadsInGroup(args.name, context);
      if (workloads.length > 0 && flags.yes !== true && args.name !== 'default') {
        const what = withWorkloads
          ? 'Remove the group and its workloads'
          : 'Remove the group and move to default';
        const terminal = { input: process.stdin, output: process.stderr };
        await confirm(`${what}: ${workloads.join(', ')}? [y/N] `, ['y', 'yes'], terminal);
      }
      const { removed, moved, results, warnings } = await removeGroup(
        args.name,
        { withWorkloads },
        context,
        signal,
      );
      this.tell([
        ...warnings.map((warning) => `warning: ${warning}`),
        ...moved.map((name) => `${name} is in the group default now`),
        ...(removed ? [`group ${args.name} is removed`] : [`group ${args.name} stays`]),
      ]);
      const tell = (lines: readonly string[]): void => this.tell(lines);
      reportResults(
        results,
        { done: 'is removed', unchanged: 'did not exist' },
        { debug: flags.debug, tell },
      );
    });
  }
}
