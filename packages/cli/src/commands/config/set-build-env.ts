import { Args } from '@oclif/core';
import type { BuildVariableSource } from '@portolan/workload';
import { badArgument } from '../../terminal/terminal-errors.ts';
import { boolean, string } from '../../command-line/flags/flag-types.ts';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { setBuildVariable } from '@portolan/workload/settings';

export default class ConfigSetBuildEnv extends WorkloadCommand {
  static override summary = 'Set an environment variable for package builds';
  static override description =
    'VALUE is stored in plain text in config.yaml. Secret values come from the secret store or from the ' +
    'environment at each build. No image contains the variable. An earlier value is replaced.';
  static override usage = 'config set-build-env KEY [VALUE | --from-secret NAME | --from-env]';
  static override examples = [
    '<%= config.bin %> config set-build-env GOPROXY https://go.acme.example',
    '<%= config.bin %> config set-build-env UV_INDEX_URL --from-secret acme-index',
    '<%= config.bin %> config set-build-env NPM_TOKEN --from-env',
  ];
  static override args = {
    key: Args.string({ description: 'name of the variable', required: true, ignoreStdin: true }),
    value: Args.string({ description: 'value of the variable', ignoreStdin: true }),
  };
  static override flags = {
    'from-secret': string({ description: 'take the value from this secret', helpValue: 'NAME' }),
    'from-env': boolean({ description: 'take the value from the environment of the command that builds' }),
    config: workloadConfigFlag,
  };

  override async run(): Promise<number> {
    const { flags, args, rest } = await this.readArguments(ConfigSetBuildEnv, { takesRest: true });
    const values = [...(args.value === undefined ? [] : [args.value]), ...rest];
    const secret = flags['from-secret'];
    const sources: BuildVariableSource[] = [
      ...values.map((value) => ({ from: 'value' as const, value })),
      ...(secret === undefined ? [] : [{ from: 'secret' as const, secret }]),
      ...(flags['from-env'] === true ? [{ from: 'shell' as const }] : []),
    ];
    const [source, more] = sources;
    if (source === undefined || more !== undefined)
      throw badArgument('expected one of VALUE, --from-secret NAME and --from-env');
    return await this.withWorkloads(flags, async (context, signal) => {
      await setBuildVariable(args.key, source, context, signal);
      const hasLogin = source.from === 'value' && /:\/\/[^/\s]*@/.test(source.value);
      this.tell([
        ...(hasLogin
          ? [
              'warning: the address has a login, which config.yaml stores in plain text; use --from-secret instead',
            ]
          : []),
        `builds get ${args.key}`,
      ]);
    });
  }
}
