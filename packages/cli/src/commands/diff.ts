import { isAsInFile, planWorkloads, readWorkloadsFile } from '@portolan/workload/run';
import { DIFFERS } from '../command-line/exit-status.ts';
import { formatFlag } from '../command-line/flags/format-flag.ts';
import { lookupFlags } from '../command-line/flags/lookup-flags.ts';
import { workloadConfigFlag } from '../command-line/flags/workload-config-flag.ts';
import { workloadsFileFlag } from '../command-line/flags/workloads-file-flags.ts';
import { contextWithRegistry } from '../command-line/lookup-context.ts';
import { WorkloadCommand } from '../command-line/workload-command.ts';
import { badArgument } from '../terminal/terminal-errors.ts';
import { applyPlanDocument, formatApplyPlan } from '../workloads-file/format-apply-plan.ts';
import { reportFailing } from '../workloads-file/report-applied.ts';

export default class Diff extends WorkloadCommand {
  static override summary = 'Compare workloads with a workloads file';
  static override description =
    'Shows what `portolan apply --prune` would do, and changes nothing. The exit status is 0 if every workload is ' +
    'as in the file and runs, 3 if something differs, and 1 if a comparison is impossible. Variables and headers ' +
    'are shown without their values.';
  static override usage = 'diff -f FILE [FLAGS]';
  static override examples = [
    '<%= config.bin %> diff -f workloads.yaml',
    '<%= config.bin %> diff -f workloads.yaml --format json',
  ];
  static override flags = {
    file: workloadsFileFlag,
    ...lookupFlags,
    config: workloadConfigFlag,
    format: formatFlag,
  };

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(Diff);
    const { file } = flags;
    if (file === undefined) throw badArgument('diff: found no file; expected -f FILE');
    return await this.withWorkloads({ ...flags, needsKinds: true }, async (opened, signal) => {
      const context = await contextWithRegistry(flags, opened, signal);
      const source = await readWorkloadsFile(file, context, signal);
      const plan = await planWorkloads(source, context, { prune: true }, signal);
      this.print(flags.format, applyPlanDocument(plan), formatApplyPlan(plan));
      reportFailing(plan);
      return plan.groups.length === 0 && plan.workloads.every(isAsInFile) ? 0 : DIFFERS;
    });
  }
}
