import { Args } from '@oclif/core';
import type { BuildVariable } from '@portolan/workload';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { formatTable } from '../../terminal/format/format-table.ts';
import { printable } from '../../terminal/printable.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { getBuildVariable, listBuildVariables } from '@portolan/workload/settings';

export default class ConfigGetBuildEnv extends WorkloadCommand {
  static override summary = 'Print the environment variables of package builds';
  static override description = 'Prints values from config.yaml; for the others, prints their origin.';
  static override args = {
    key: Args.string({ description: 'variable to print; by default, all', ignoreStdin: true }),
  };
  static override flags = { format: formatFlag };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(ConfigGetBuildEnv);
    return await this.withWorkloads(flags, async ({ user }) => {
      if (args.key !== undefined) {
        const buildVariable = getBuildVariable(user.build, args.key);
        this.print(
          flags.format,
          buildVariable,
          printable(buildVariable.from === 'value' ? buildVariable.value : originOf(buildVariable)),
        );
        return;
      }
      const all = listBuildVariables(user.build);
      const rows = all.map((one) =>
        [one.name, originOf(one), one.from === 'value' ? one.value : ''].map((cell) => printable(cell)),
      );
      const text =
        rows.length === 0 ? 'No variables are set' : formatTable(['variable', 'from', 'value'], rows);
      this.print(flags.format, all, text);
    });
  }
}

function originOf(variable: BuildVariable): string {
  if (variable.from === 'secret') return `secret ${variable.secret}`;
  return variable.from === 'shell' ? 'environment' : 'config.yaml';
}
