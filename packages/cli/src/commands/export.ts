import { Args, Flags } from '@oclif/core';
import { workloadName } from '../command-line/flags/choice-flags.ts';
import { workloadConfigFlag } from '../command-line/flags/workload-config-flag.ts';
import { WorkloadCommand } from '../command-line/workload-command.ts';
import { exportWorkload, renderExport } from '@portolan/workload/operations';

export default class Export extends WorkloadCommand {
  static override summary = 'Export the settings of a workload to a file for `run --from-config`';
  static override description =
    'The file has no values of secrets, only their names in the secret store. The format `k8s` is a ' +
    'Kubernetes object.';
  static override examples = [
    '<%= config.bin %> export weather ./weather.json',
    '<%= config.bin %> export weather ./weather.yaml --format k8s',
    '<%= config.bin %> export weather - | ssh other-machine portolan run --from-config -',
  ];
  static override args = {
    ...workloadName,
    file: Args.string({
      description: 'file to write; `-` is standard output',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    format: Flags.option({
      description: 'format of the file',
      options: ['json', 'k8s'] as const,
      default: 'json' as const,
    })(),
    config: workloadConfigFlag,
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(Export);
    return await this.withWorkloads(flags, async (context) => {
      if (args.file === '-') {
        const { text, warnings } = await renderExport(args.name, flags.format, context);
        this.tell(warnings.map((warning) => `warning: ${warning}`));
        this.log(text.trimEnd());
        return;
      }
      const { file, warnings } = await exportWorkload(args.name, args.file, flags.format, context);
      this.tell([...warnings.map((warning) => `warning: ${warning}`), `${args.name} is exported to ${file}`]);
    });
  }
}
