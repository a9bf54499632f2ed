import { workloadName } from '../command-line/flags/choice-flags.ts';
import { workloadConfigFlag } from '../command-line/flags/workload-config-flag.ts';
import { WorkloadCommand } from '../command-line/workload-command.ts';
import { inspectWorkload } from '@portolan/workload/operations';

export default class Inspect extends WorkloadCommand {
  static override summary = 'Print all data of a workload as JSON';
  static override description = 'Shows its settings, its state and its containers, but no values of secrets.';
  static override examples = ['<%= config.bin %> inspect weather'];
  static override args = workloadName;
  static override flags = { config: workloadConfigFlag };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(Inspect);
    return await this.withWorkloads({ ...flags, settings: 'wanted' }, async (context, signal) => {
      this.log(JSON.stringify(await inspectWorkload(args.name, context, signal), null, 2));
    });
  }
}
