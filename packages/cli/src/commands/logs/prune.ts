import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { pruneLogs } from '@portolan/workload/operations';

export default class LogsPrune extends WorkloadCommand {
  static override summary = 'Remove the log files of removed workloads';
  static override flags = { config: workloadConfigFlag, format: formatFlag };

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(LogsPrune);
    return await this.withWorkloads(flags, async (context) => {
      const files = await pruneLogs(context);
      if (flags.format === 'json' || files.length > 0) this.print(flags.format, files, files.join('\n'));
      this.tell([`${files.length} log files removed`]);
    });
  }
}
