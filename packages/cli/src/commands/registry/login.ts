import type { Command } from '@oclif/core';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { boolean, int } from '../../command-line/flags/flag-types.ts';
import { registryLoginFlags } from '../../command-line/flags/registry-login-flags.ts';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import {
  registryAddress,
  registryArgument,
  registryUrlFlag,
  typedRegistry,
} from '../../command-line/registry-address.ts';
import { StartingCommand } from '../../command-line/starting-command.ts';
import { printable } from '../../terminal/printable.ts';
import { logInToRegistry } from '@portolan/workload/registry-login';
import { namedClient } from '../../registry-access/named-client.ts';

export default class RegistryLogin extends StartingCommand {
  static override summary = 'Log in to a registry';
  static override description =
    'Opens a browser if there is one; otherwise shows an address to open on any device. The secret store ' +
    'keeps the tokens. They are renewed automatically, and sent to this registry only. If the registry does ' +
    'not publish how to log in, use the flags, or those of `portolan config set-registry`.';
  static override examples: Command.Example[] = [
    { description: 'the registry of the settings', command: '<%= config.bin %> registry login' },
    {
      description: 'another registry, for example to publish to',
      command: '<%= config.bin %> registry login https://registry.acme.example',
    },
  ];
  static override args = registryArgument;
  static override flags = {
    ...registryLoginFlags,
    'skip-browser': boolean({ description: 'show the address only, and open no browser' }),
    'callback-port': int({
      fallback: '8666',
      description: 'port of this machine for the redirect of the browser',
      helpValue: 'PORT',
    }),
    url: registryUrlFlag,
    config: workloadConfigFlag,
    format: formatFlag,
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(RegistryLogin);
    return await this.withWorkloads({ ...flags, needsKinds: true }, async (context, signal) => {
      const registry = registryAddress(typedRegistry(args.registry, flags.url), context);
      const progress = this.progress();
      const observer = this.observer(progress, () => undefined);
      try {
        const request = {
          ...namedClient(registry, flags, context.user),
          registry,
          skipsBrowser: flags['skip-browser'] === true,
          callbackPort: flags['callback-port'],
        };
        const { login, expiresAt } = await logInToRegistry(request, context, observer, signal);
        progress.clear();
        const { address, issuer, scopes, subject } = login;
        const done = {
          registry: address,
          issuer,
          scopes,
          subject: subject ?? null,
          expires_at: expiresAt ?? null,
        };
        const who = subject === undefined ? '' : ` as ${printable(subject)}`;
        this.print(flags.format, done, `logged in to ${address}${who}`);
      } finally {
        progress.clear();
      }
    });
  }
}
