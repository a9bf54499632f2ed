import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { updateUserConfig } from '@portolan/workload/settings';

const KEYS = [
  'registry_api_url',
  'registry_url',
  'local_registry_path',
  'allow_private_registry_ip',
  'allow_http_registry',
  'registry_auth',
] as const;

export default class ConfigUnsetRegistry extends WorkloadCommand {
  static override description =
    'Names are then looked up in the official registry. To use no registry: config set default_registry ' +
    'false.';
  static override summary = 'Remove the registry setting';

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(ConfigUnsetRegistry);
    return await this.withWorkloads(flags, async ({ directories, user }, signal) => {
      await updateUserConfig(
        directories,
        KEYS.map((key) => ({ path: [key] })),
        signal,
      );
      const { defaultRegistryUrl } = user;
      this.tell([
        defaultRegistryUrl === undefined
          ? 'no registry is set'
          : `no registry is set; servers are looked up in ${defaultRegistryUrl}`,
      ]);
    });
  }
}
