import { duration } from '../../command-line/flags/flag-types.ts';
import { START_TIMEOUT_MS, startTimeoutFlag } from '../../command-line/flags/start-flags.ts';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import { StartingCommand } from '../../command-line/starting-command.ts';
import { describeError } from '../../terminal/report-error.ts';
import { reportResults } from '../../terminal/report-results.ts';
import { startMarkedWorkloads } from '@portolan/workload/run';

const ENGINE_TIMEOUT_MS = 300_000;

export default class ServiceRun extends StartingCommand {
  static override summary = 'Start the workloads that ran at the last shutdown; the service runs this';
  static override description =
    'Starts every workload that ran in the background and that no user has stopped since, also when it was ' +
    'killed or terminated. Waits for the container engine. Secrets must be readable without a prompt.';
  static override examples = ['<%= config.bin %> service run'];
  static override flags = {
    'engine-timeout': duration({
      description: 'how long to wait for the container engine',
      fallback: '5m',
    }),
    'start-timeout': startTimeoutFlag,
    config: workloadConfigFlag,
  };

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(ServiceRun);
    return await this.withWorkloads({ ...flags, needsKinds: true }, async (context, signal) => {
      const results = await startMarkedWorkloads(
        context,
        {
          observerOf: (name) => this.observer(this.progress(name), () => undefined, flags.debug),
          program: this.supervisorProgram(),
          detachEarly: false,
          foreground: false,
          startTimeoutMs: flags['start-timeout'] ?? START_TIMEOUT_MS,
          engineTimeoutMs: flags['engine-timeout'] ?? ENGINE_TIMEOUT_MS,
          onWait: (why) =>
            this.tell([
              `waiting for the engine: ${describeError(why, { debug: false }).split('\n', 1)[0] ?? ''}`,
            ]),
          ...(context.configFile === undefined ? {} : { configFile: context.configFile }),
        },
        signal,
      );
      if (results.length === 0) this.tell(['there is nothing to start']);
      const report = { debug: flags.debug, tell: (lines: readonly string[]) => this.tell(lines) };
      reportResults(results, { done: 'is started', unchanged: 'runs already' }, report);
    });
  }
}
