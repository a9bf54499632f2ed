import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import { registryAddress, registryArgument } from '../../command-line/registry-address.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { printable } from '../../terminal/printable.ts';

const TIMEOUT_MS = 30_000;
/** Tokens that go before a login; what they are good for, `portolan claims explain` says. */
const GO_BEFORE = ['PORTOLAN_TOKEN_FILE', 'PORTOLAN_TOKEN'] as const;

export default class RegistryWhoami extends WorkloadCommand {
  static override summary = 'Show who is logged in to a registry, with which roles';
  static override description =
    'The registry is asked, with the token of the login. Nothing that is secret is shown.';
  static override examples = [
    '<%= config.bin %> registry whoami',
    '<%= config.bin %> registry whoami https://registry.acme.example --format json',
  ];
  static override args = registryArgument;
  static override flags = { config: workloadConfigFlag, format: formatFlag };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(RegistryWhoami);
    return await this.withWorkloads(flags, async (context, signal) => {
      const { describeRegistryLogin, findLoginAccess } = await import('@portolan/workload');
      const { accessWith, ServerClient, serverBaseOf } = await import('@portolan/registry-client');
      const { askWhoIAm } = await import('../../registry-access/whoami.ts');
      const { refusalError } = await import('../../publish/refusal-error.ts');
      const registry = registryAddress(args.registry, context);
      await describeRegistryLogin(registry, context, signal);
      const access = (await findLoginAccess(registry, context, signal)) ?? accessWith(undefined);
      const options = { address: serverBaseOf(registry), access, timeoutMs: TIMEOUT_MS, refusalError };
      const client = new ServerClient(context, options);
      try {
        const seen = await askWhoIAm(client);
        // Asking may have renewed it.
        const login = await describeRegistryLogin(registry, context, signal);
        const set = GO_BEFORE.filter((name) => (context.environment[name] ?? '') !== '');
        this.tell(
          set.map((name) => `note: ${name} is set, and goes before the login in commands that publish`),
        );
        const { subject, roles, registries } = seen;
        const who = { subject, ...login, roles, registries };
        this.print(flags.format, who, textOf(who));
      } finally {
        await client.close();
      }
    });
  }
}

interface Who {
  readonly registry: string;
  readonly subject: string;
  readonly issuer: string;
  readonly scopes: readonly string[];
  readonly expires_at: string | null;
  readonly renewable: boolean;
  readonly roles: readonly string[];
  readonly registries: readonly string[];
}

function textOf(who: Who): string {
  const end = who.expires_at ?? 'not said by the issuer';
  const rows = [
    ['registry', who.registry],
    ['subject', who.subject],
    ['issuer', who.issuer],
    ['until', `${end}${who.renewable ? ', renewed by itself' : ''}`],
    ['scopes', who.scopes.join(' ') || '-'],
    ['roles', who.roles.join(' ') || '-'],
    ['open to you', who.registries.join(' ') || '-'],
  ];
  return rows.map(([name = '', value = '']) => `${name.padEnd(12)}${printable(value)}`).join('\n');
}
