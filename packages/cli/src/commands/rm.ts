import { choiceFlags, choiceOf, nobodyChosen, workloadNames } from '../command-line/flags/choice-flags.ts';
import { boolean } from '../command-line/flags/flag-types.ts';
import { workloadConfigFlag } from '../command-line/flags/workload-config-flag.ts';
import { reportResults } from '../terminal/report-results.ts';
import { WorkloadCommand } from '../command-line/workload-command.ts';
import { chooseNames, removeWorkloads } from '@portolan/workload/operations';

export default class Remove extends WorkloadCommand {
  static override summary = 'Stop and remove workloads, without a confirmation';
  static override description =
    'Also removes the remains of a workload with damaged state or without a supervisor. Images stay; ' +
    '`portolan doctor --fix` removes built images that no workload uses. Named volumes stay, unless --volumes ' +
    'is given.';
  static override usage = 'rm [NAMES...] [FLAGS]';
  static override examples = ['<%= config.bin %> rm weather', '<%= config.bin %> rm --group trial'];
  static override args = workloadNames;
  static override flags = {
    ...choiceFlags,
    volumes: boolean({
      description:
        'also remove named volumes with their data, if they were created for the workload and no other uses them',
    }),
    config: workloadConfigFlag,
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(Remove);
    return await this.withWorkloads({ ...flags, settings: 'wanted' }, async (context, signal) => {
      const names = await chooseNames(choiceOf(args.names, flags), context);
      if (names.length === 0) this.tell([nobodyChosen(flags)]);
      const results = await removeWorkloads(names, context, signal, { volumes: flags.volumes === true });
      const report = { debug: flags.debug, tell: (lines: readonly string[]) => this.tell(lines) };
      reportResults(results, { done: 'is removed', unchanged: 'did not exist' }, report);
    });
  }
}
