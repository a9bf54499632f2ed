import { listWorkloads } from '@portolan/workload/list';
import { chooseNames } from '@portolan/workload/operations';
import { workloadNames } from '../../command-line/flags/choice-flags.ts';
import { string } from '../../command-line/flags/flag-types.ts';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { formatMembersFile } from '../../virtual-server/format-members-file.ts';
import { proposeMembers } from '../../virtual-server/propose-members.ts';
import { noMembersRunning } from '../../virtual-server/virtual-server-errors.ts';

export default class VirtualInit extends WorkloadCommand {
  static override summary = 'Print a members file of running workloads for `run --members`';
  static override description =
    'Without NAMES and --group, the file has all running workloads. It goes to standard output. Workloads that ' +
    'the file leaves out, because they are stopped or virtual servers themselves, are on standard error.';
  static override usage = 'virtual init [NAMES...] [FLAGS]';
  static override examples = [
    '<%= config.bin %> virtual init > desk.yaml',
    '<%= config.bin %> virtual init github weather > desk.yaml',
    '<%= config.bin %> virtual init --group work --format json',
  ];
  static override args = workloadNames;
  static override flags = {
    group: string({ char: 'g', description: 'only workloads of this group', helpValue: 'NAME' }),
    config: workloadConfigFlag,
    format: formatFlag,
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(VirtualInit);
    return await this.withWorkloads({ ...flags, settings: 'wanted' }, async (context, signal) => {
      const { group } = flags;
      const isAll = args.names === undefined && group === undefined;
      const choice = { names: args.names ?? [], all: isAll, ...(group === undefined ? {} : { group }) };
      const names = await chooseNames(choice, context);
      const { workloads } = await listWorkloads(context, { all: true }, signal);
      const known = new Map(workloads.map((workload) => [workload.name, workload]));
      const chosen = [];
      for (const name of names) {
        const workload = known.get(name);
        if (workload === undefined) throw await context.store.unknown(name);
        chosen.push(workload);
      }
      const proposal = proposeMembers(chosen);
      this.tell(proposal.leftOut.map(({ name, because }) => `note: ${name} is left out: ${because}`));
      if (Object.keys(proposal.members).length === 0) throw noMembersRunning();
      this.print(flags.format, { members: proposal.members }, formatMembersFile(proposal));
    });
  }
}
