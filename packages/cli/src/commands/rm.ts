import { choiceFlags, choiceOf, nobodyChosen, workloadNames } from '../command-line/flags/choice-flags.ts';
import { boolean } from '../command-line/flags/flag-types.ts';
import { workloadConfigFlag } from '../command-line/flags/workload-config-flag.ts';
import { reportResults } from '../terminal/report-results.ts';
import { WorkloadCommand } from '../command-line/workload-command.ts';
import { chooseNames, removeWorkloads } from '@portolan/workload/operations';

export default class Remove extends WorkloadCommand {
  static override summary = 'Stop workloads and remove everything of them; nothing is asked';
  static override description =
    'Also what is left of a workload whose state is damaged or whose supervisor is gone. Images stay; ' +
    '`portolan doctor --fix` removes those that were built and that no workload uses. Named volumes stay without --volumes.';
  static override usage = 'rm [NAMES...] [FLAGS]';
  static override examples = ['<%= config.bin %> rm weather', '<%= config.bin %> rm --group trial'];
  static override args = workloadNames;
  static override flags = {
    ...choiceFlags,
    volumes: boolean({
      description:
        'also remove named volumes, with their data, that were made for the workload and that no other uses',
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
      reportResults(results, { done: 'is removed', unchanged: 'was not there' }, report);
    });
  }
}
