import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';

export default class ConfigGetRegistry extends WorkloadCommand {
  static override summary = 'Print the registry that server names are looked up in';
  static override flags = { format: formatFlag };

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(ConfigGetRegistry);
    return await this.withWorkloads(flags, async ({ user }) => {
      const {
        registryApiUrl,
        registryUrl,
        localRegistryPath,
        allowPrivateRegistryAddress,
        allowHttpRegistry,
      } = user;
      const registry = registryApiUrl ?? registryUrl ?? localRegistryPath ?? null;
      const found = {
        registry,
        allow_private_ip: allowPrivateRegistryAddress,
        allow_http: allowHttpRegistry,
      };
      this.print(flags.format, found, registry ?? 'No registry is set');
    });
  }
}
