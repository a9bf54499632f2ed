import { Args } from '@oclif/core';
import { revokeInLock } from '@portolan/workload/lock';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import { parseLockTargets } from '../../command-line/lock-targets.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';

export default class LockRevoke extends WorkloadCommand {
  static override summary = 'Revoke the approval of tools, prompts and templates';
  static override description =
    'Clients no longer get the item, also from a running workload. Without a tool, the command revokes all approvals ' +
    'of the workload, which stays in its lock file.';
  static override usage = 'lock revoke NAME[/TOOL]... [FLAGS]';
  static override examples = ['<%= config.bin %> lock revoke github/search_code'];
  static override args = {
    targets: Args.string({
      description: 'workload, or a tool, prompt or template of it; repeatable',
      multiple: true,
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = { config: workloadConfigFlag };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(LockRevoke);
    const targets = parseLockTargets(args.targets);
    return await this.withWorkloads({ ...flags, settings: 'wanted' }, async (context, signal) => {
      for (const [name, items] of targets) {
        const isChanged = await revokeInLock(name, items, context, signal);
        this.tell([`${name}: ${isChanged ? 'approval revoked' : 'unchanged'}`]);
      }
      return 0;
    });
  }
}
