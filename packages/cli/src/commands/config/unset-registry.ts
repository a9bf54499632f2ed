import { WorkloadCommand } from '../../command-line/workload-command.ts';

const KEYS = [
  'registry_api_url',
  'registry_url',
  'local_registry_path',
  'allow_private_registry_ip',
  'allow_http_registry',
] as const;

export default class ConfigUnsetRegistry extends WorkloadCommand {
  static override summary = 'Look server names up nowhere';

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(ConfigUnsetRegistry);
    return await this.withWorkloads(flags, async ({ directories }, signal) => {
      const { updateUserConfig } = await import('@portolan/workload');
      await updateUserConfig(
        directories,
        KEYS.map((key) => ({ path: [key] })),
        signal,
      );
      this.tell(['no registry is set']);
    });
  }
}
