import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { describeDefault } from '../../terminal/describe-default.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';

export default class ConfigGetRegistry extends WorkloadCommand {
  static override summary = 'Print the registry in which server names are looked up';
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
        registryAuth,
      } = user;
      const set = registryApiUrl ?? registryUrl ?? localRegistryPath;
      const registry = set ?? user.defaultRegistryUrl ?? null;
      const isDefault = set === undefined && registry !== null;
      const match = {
        registry,
        is_default: isDefault,
        allow_private_ip: allowPrivateRegistryAddress,
        allow_http: allowHttpRegistry,
        login: Object.values(registryAuth).every((value) => value === undefined)
          ? null
          : {
              issuer: registryAuth.issuer,
              client_id: registryAuth.clientId,
              audience: registryAuth.audience,
              scopes: registryAuth.scopes,
            },
      };
      this.print(
        flags.format,
        match,
        isDefault ? describeDefault(registry) : (registry ?? 'No registry is set'),
      );
    });
  }
}
