import { Args } from '@oclif/core';
import { boolean } from '../../command-line/flags/flag-types.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';

const KEYS = { api: 'registry_api_url', url: 'registry_url', file: 'local_registry_path' } as const;

export default class ConfigSetRegistry extends WorkloadCommand {
  static override summary = 'Choose the registry that server names are looked up in';
  static override description =
    'A registry API or a catalogue behind a URL, or a catalogue in a file. It has to answer. The one before is forgotten.';
  static override examples = [
    '<%= config.bin %> config set-registry https://registry.acme.example/registry/main',
    '<%= config.bin %> config set-registry http://127.0.0.1:8080/registry/main --allow-private-ip',
    '<%= config.bin %> config set-registry ./catalogue.json',
  ];
  static override args = {
    registry: Args.string({ description: 'URL or path', required: true, ignoreStdin: true }),
  };
  static override flags = {
    'allow-private-ip': boolean({
      char: 'p',
      description: 'it may be at an address that is not public, also over http',
    }),
    'allow-http': boolean({
      description: 'it may speak http, where what it answers could be changed on its way',
    }),
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(ConfigSetRegistry);
    const allowPrivate = flags['allow-private-ip'] === true;
    const allowHttpAlone = flags['allow-http'] === true;
    const rules = { allowPrivate, allowHttp: allowHttpAlone || allowPrivate };
    return await this.withWorkloads(flags, async (context, signal) => {
      const { classifyRegistry } = await import('@portolan/registry-client');
      const { updateUserConfig } = await import('@portolan/workload');
      const { kind, value } = await classifyRegistry(args.registry, { ...rules, signal }, context);
      await updateUserConfig(
        context.directories,
        [
          ...Object.values(KEYS).map((key) => ({
            path: [key],
            value: key === KEYS[kind] ? value : undefined,
          })),
          { path: ['allow_private_registry_ip'], value: allowPrivate ? true : undefined },
          { path: ['allow_http_registry'], value: allowHttpAlone ? true : undefined },
        ],
        signal,
      );
      this.tell([`servers are looked up in ${value}`]);
    });
  }
}
