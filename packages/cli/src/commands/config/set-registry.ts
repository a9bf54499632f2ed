import { Args } from '@oclif/core';
import { boolean } from '../../command-line/flags/flag-types.ts';
import {
  type RegistryLoginFlags,
  registryLoginFlags,
} from '../../command-line/flags/registry-login-flags.ts';
import { requireClientOfSecret } from '../../registry-access/named-client.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { classifyRegistry } from '@portolan/registry-client/lookup';
import { getKnownSetting, parseSettingValue, updateUserConfig } from '@portolan/workload/settings';

const KEYS = { api: 'registry_api_url', url: 'registry_url', file: 'local_registry_path' } as const;

export default class ConfigSetRegistry extends WorkloadCommand {
  static override summary = 'Set the registry in which server names are looked up';
  static override description =
    'The argument is a registry API or a catalogue at a URL, or a catalogue in a file. It must respond, and ' +
    'replaces the earlier registry. If the registry requires a login and does not publish how to log in, the ' +
    'flags describe it for `portolan registry login`.';
  static override examples = [
    '<%= config.bin %> config set-registry https://registry.acme.example/registry/main',
    '<%= config.bin %> config set-registry http://127.0.0.1:8080/registry/main --allow-private-ip',
    '<%= config.bin %> config set-registry ./catalogue.json',
    '<%= config.bin %> config set-registry https://registry.acme.example/registry/main --issuer https://sso.acme.example --client-id portolan-cli',
  ];
  static override args = {
    registry: Args.string({ description: 'URL or path', required: true, ignoreStdin: true }),
  };
  static override flags = {
    'allow-private-ip': boolean({
      char: 'p',
      description: 'allow a private address, also over http',
    }),
    'allow-http': boolean({
      description: 'allow http, where others could change the responses on the way',
    }),
    ...registryLoginFlags,
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(ConfigSetRegistry);
    const allowPrivate = flags['allow-private-ip'] === true;
    const allowHttpAlone = flags['allow-http'] === true;
    requireClientOfSecret({ ...flags, clientId: flags['client-id'], clientSecret: flags['client-secret'] });
    const rules = { allowPrivate, allowHttp: allowHttpAlone || allowPrivate };
    return await this.withWorkloads(flags, async (context, signal) => {
      const login = wordsOf(flags).map(([key, words]) => {
        const { setting, path } = getKnownSetting(`registry_auth.oauth.${key}`);
        return { path, value: parseSettingValue(setting, words) };
      });
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
          { path: ['registry_auth'] },
          ...login,
        ],
        signal,
      );
      this.tell([`servers are looked up in ${value}`]);
    });
  }
}

/** Returns the values of the login flags by the names of their settings. */
function wordsOf(flags: RegistryLoginFlags): readonly (readonly [key: string, words: readonly string[]])[] {
  const named: readonly (readonly [key: string, words: readonly (string | undefined)[] | undefined])[] = [
    ['issuer', [flags.issuer]],
    ['client_id', [flags['client-id']]],
    ['client_secret', [flags['client-secret']]],
    ['audience', [flags.audience]],
    ['scopes', flags.scopes],
  ];
  return named.flatMap(([key, words = []]) => {
    const usedWords = words.filter((word) => word !== undefined);
    return usedWords.length === 0 ? [] : [[key, usedWords] as const];
  });
}
