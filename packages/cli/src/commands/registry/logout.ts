import type { Command } from '@oclif/core';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import {
  registryAddress,
  registryArgument,
  registryUrlFlag,
  typedRegistry,
} from '../../command-line/registry-address.ts';
import { printable } from '../../terminal/printable.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { logOutOfRegistry } from '@portolan/workload/registry-login';

export default class RegistryLogout extends WorkloadCommand {
  static override summary = 'Log out of a registry';
  static override description =
    'Revokes the tokens at the authorization server, if it supports that, and removes them from the secret ' +
    'store.';
  static override examples: Command.Example[] = [
    '<%= config.bin %> registry logout https://registry.acme.example',
  ];
  static override args = registryArgument;
  static override flags = { url: registryUrlFlag, config: workloadConfigFlag, format: formatFlag };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(RegistryLogout);
    return await this.withWorkloads({ ...flags, needsKinds: true }, async (context, signal) => {
      const registry = registryAddress(typedRegistry(args.registry, flags.url), context);
      const { notes, address, ...done } = await logOutOfRegistry(registry, context, signal);
      this.tell(notes.map(printable));
      this.print(flags.format, { registry: address, ...done }, `logged out of ${address}`);
    });
  }
}
