import path from 'node:path';
import { badArgument } from '../terminal/terminal-errors.ts';
import { choiceFlags, choiceOf, nobodyChosen, workloadNames } from '../command-line/flags/choice-flags.ts';
import { formatFlag } from '../command-line/flags/format-flag.ts';
import {
  detachEarlyFlag,
  foregroundFlag,
  gatewayImageFlag,
  startTimeoutOf,
  startTimeoutFlag,
  trustFlag,
} from '../command-line/flags/start-flags.ts';
import { workloadConfigFlag } from '../command-line/flags/workload-config-flag.ts';
import { reportResults } from '../terminal/report-results.ts';
import { StartingCommand } from '../command-line/starting-command.ts';
import { chooseNames } from '@portolan/workload/operations';
import { startWorkloads } from '@portolan/workload/run';

export default class Start extends StartingCommand {
  static override summary = 'Start stopped workloads again with their settings';
  static override description =
    'Running workloads stay as they are. After a restart of the machine, `start --all` starts the workloads ' +
    'that ran before. Standard output has the address of each workload.';
  static override usage = 'start [NAMES...] [FLAGS]';
  static override examples = ['<%= config.bin %> start weather', '<%= config.bin %> start --all'];
  static override args = workloadNames;
  static override flags = {
    ...choiceFlags,
    foreground: foregroundFlag,
    'detach-early': detachEarlyFlag,
    'start-timeout': startTimeoutFlag,
    'gateway-image': gatewayImageFlag,
    trust: trustFlag,
    config: workloadConfigFlag,
    format: formatFlag,
  };

  override async run(): Promise<number> {
    return await this.startNamed(false);
  }

  protected async startNamed(restart: boolean): Promise<number> {
    const { flags, args } = await this.readArguments(Start);
    const startTimeoutMs = startTimeoutOf(flags);
    return await this.withWorkloads({ ...flags, needsKinds: true }, async (context, signal) => {
      const names = await chooseNames(choiceOf(args.names, flags), context);
      if (names.length === 0) this.tell([nobodyChosen(flags)]);
      if (flags.foreground === true && names.length !== 1) {
        throw badArgument(`--foreground: found ${names.length} workloads; expected one`);
      }
      const shown = this.progress();
      const options = {
        observerOf: (name: string) =>
          this.observer(
            this.progress(names.length > 1 ? name : undefined),
            ({ url, status }) => {
              if (flags.foreground === true) this.print(flags.format, [{ name, url, status }], url);
            },
            flags.debug,
          ),
        program: this.supervisorProgram(),
        detachEarly: flags['detach-early'] === true,
        foreground: flags.foreground === true,
        startTimeoutMs,
        restart,
        trust: flags.trust,
        ...(flags.config === undefined ? {} : { configFile: path.resolve(flags.config) }),
      };
      const results = await startWorkloads(names, context, options, signal).finally(() => shown.clear());
      if (flags.foreground !== true) {
        const started = results.flatMap(({ name, url, status }) =>
          url === undefined ? [] : [{ name, url, status }],
        );
        const text = started.map(({ name, url }) => (names.length > 1 ? `${name}  ${url}` : url)).join('\n');
        if (flags.format === 'json' || text !== '') this.print(flags.format, started, text);
      }
      const report = { debug: flags.debug, tell: (lines: readonly string[]) => this.tell(lines) };
      const words = { done: restart ? 'is restarted' : 'is started', unchanged: 'runs already' };
      reportResults(results, words, report);
      return results.find(({ exitCode }) => exitCode !== undefined)?.exitCode ?? 0;
    });
  }
}
