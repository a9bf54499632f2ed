import { environmentToken } from '../../command-line/environment-token.ts';
import { serverFlags } from '../../command-line/flags/server-flags.ts';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import {
  registryAddress,
  registryArgument,
  registryUrlFlag,
  typedRegistry,
} from '../../command-line/registry-address.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { printable } from '../../terminal/printable.ts';
import { describeRegistryLogin, findLoginAccess } from '@portolan/workload/registry-login';
import { accessWith, ServerClient, serverBaseOf } from '@portolan/registry-client';
import { askWhoIAm } from '../../registry-access/whoami.ts';
import { refusalError } from '../../publish/refusal-error.ts';
import { readToken } from '../../command-line/read-token.ts';
import { parseTimeout } from '../../command-line/connect-registry.ts';
import { readAuthorities } from '../../command-line/read-authorities.ts';

export default class RegistryWhoami extends WorkloadCommand {
  static override summary = 'Show who is logged in to a registry, with roles';
  static override description =
    'Sends the token that other commands send: of --token-file, else of PORTOLAN_TOKEN, else of the login. ' +
    'Shows no secrets.';
  static override examples = [
    '<%= config.bin %> registry whoami',
    '<%= config.bin %> registry whoami https://registry.acme.example --format json',
  ];
  static override args = registryArgument;
  static override flags = {
    ...serverFlags,
    url: registryUrlFlag,
    config: workloadConfigFlag,
    format: formatFlag,
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(RegistryWhoami);
    return await this.withWorkloads(flags, async (context, signal) => {
      const allowInsecure = flags['allow-insecure'];
      const typed = typedRegistry(args.registry, flags.url);
      const registry = registryAddress(typed, { ...context, allowInsecure });
      const timeoutMs = parseTimeout(flags.timeout);
      const token = await this.#namedToken(flags['token-file']);
      if (token === undefined) await describeRegistryLogin(registry, context, signal);
      const login = token === undefined ? await findLoginAccess(registry, context, signal) : undefined;
      const access = login ?? accessWith(token);
      const ca = await readCertificates(flags['ca-cert']);
      const options = { address: serverBaseOf(registry), access, timeoutMs, refusalError, ...ca };
      const client = new ServerClient(context, options);
      try {
        const seen = await askWhoIAm(client);
        const { subject, roles, registries } = seen;
        if (token !== undefined) {
          const who = { registry: options.address.href.replace(/\/$/, ''), subject, roles, registries };
          this.print(flags.format, who, textOf(who));
          return;
        }
        // Read again, because the request may have renewed the login.
        const renewed = await describeRegistryLogin(registry, context, signal);
        const who = { subject, ...renewed, roles, registries };
        this.print(flags.format, who, textOf(who));
      } finally {
        await client.close();
      }
    });
  }

  async #namedToken(file: string | undefined): Promise<string | undefined> {
    if (file === undefined) return await environmentToken(process.env);
    return await readToken(file, process.stdin);
  }
}

async function readCertificates(file: string | undefined): Promise<{ readonly ca?: string }> {
  if (file === undefined) return {};
  return { ca: await readAuthorities(file) };
}

/** The identity of a token or a login; the fields of a login are missing for a token. */
interface Who {
  readonly registry: string;
  readonly subject: string;
  readonly issuer?: string;
  readonly scopes?: readonly string[];
  readonly expires_at?: string | null;
  readonly renewable?: boolean;
  readonly roles: readonly string[];
  readonly registries: readonly string[];
}

function textOf(who: Who): string {
  const end = who.expires_at ?? 'not said by the issuer';
  const login =
    who.issuer === undefined
      ? []
      : [
          ['issuer', who.issuer],
          ['until', `${end}${who.renewable === true ? ', renewed by itself' : ''}`],
          ['scopes', who.scopes?.join(', ') || '-'],
        ];
  const rows = [
    ['registry', who.registry],
    ['subject', who.subject],
    ...login,
    ['roles', who.roles.join(', ') || '-'],
    ['registries', who.registries.join(', ') || '-'],
  ];
  return rows.map(([name = '', value = '']) => `${name.padEnd(12)}${printable(value)}`).join('\n');
}
