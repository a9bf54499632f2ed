import { choiceFlags, choiceOf, nobodyChosen, workloadNames } from '../command-line/flags/choice-flags.ts';
import { duration } from '../command-line/flags/flag-types.ts';
import { workloadConfigFlag } from '../command-line/flags/workload-config-flag.ts';
import { reportResults } from '../terminal/report-results.ts';
import { WorkloadCommand } from '../command-line/workload-command.ts';
import { chooseNames, stopWorkloads } from '@portolan/workload/operations';

export default class Stop extends WorkloadCommand {
  static override summary = 'Stop workloads; `start` starts them again with their settings';
  static override usage = 'stop [NAMES...] [FLAGS]';
  static override examples = ['<%= config.bin %> stop weather', '<%= config.bin %> stop --all --timeout 5s'];
  static override args = workloadNames;
  static override flags = {
    ...choiceFlags,
    timeout: duration({ description: 'time for a container to stop before it is killed', fallback: '30s' }),
    config: workloadConfigFlag,
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(Stop);
    return await this.withWorkloads({ ...flags, settings: 'wanted' }, async (context, signal) => {
      const names = await chooseNames(choiceOf(args.names, flags), context);
      if (names.length === 0) this.tell([nobodyChosen(flags)]);
      const options = flags.timeout === undefined ? {} : { timeoutMs: Math.max(0, flags.timeout) };
      const results = await stopWorkloads(names, context, options, signal);
      const report = { debug: flags.debug, tell: (lines: readonly string[]) => this.tell(lines) };
      reportResults(results, { done: 'is stopped', unchanged: 'was not running' }, report);
      if (results.some(({ changed, error }) => !changed && error === undefined)) {
        this.tell(['one or more workloads are not running']);
      }
    });
  }
}
