import {
  type AccessQuestion,
  choosePolicy,
  createRolesPlugin,
  explainAccess,
  mapClaims,
  resolveCaller,
} from '@portolan/authorization';
import type { BootOptions, Kernel } from '@portolan/kernel';
import { bootKernel } from '@portolan/kernel/boot';
import { type Caller, type TokenVerdict, PortolanError } from '@portolan/plugin-api';
import type { EntryAddress } from '@portolan/registry-client';
import { badArgument } from '../terminal/terminal-errors.ts';
import type { AccessReport, ProviderVerdict } from './access-report.ts';
import { findSources, type ExplainedSources } from './find-sources.ts';

export interface AccessWish {
  /** Token of the caller; undefined for an anonymous caller. */
  readonly token: string | undefined;
  readonly registry: string | undefined;
  readonly entry: EntryAddress | undefined;
}

/**
 * Explains what a token may do on a server with this configuration. Reads registries from the configuration
 * and entries from its database, without changing it. Throws the errors of a boot, ERR_REGISTRY_UNKNOWN,
 * ERR_BAD_ARGUMENT for an entry whose registry is ambiguous, and ERR_DATABASE_* for an unreadable database.
 */
export async function explainFromConfig(boot: BootOptions, wish: AccessWish): Promise<AccessReport> {
  const kernel = await bootKernel({ ...boot, builtIn: () => [createRolesPlugin()] });
  try {
    const { kind } = kernel.authProvider;
    const { authz, requireClaims } = kernel.config.auth;
    const policy = choosePolicy({ identifies: kind.identifies, authz, requireClaims });
    const verdicts = await judgeToken(kernel, wish.token);
    const caller = await findCaller(kernel, policy, verdicts);
    const { registry, entry, notes } = await findResources(kernel, boot, wish);
    const explanation = explainAccess({
      policy,
      roleRules: authz?.roles,
      caller,
      registry,
      entry,
      reveal: 'everything',
    });
    return { providers: verdicts?.map(withoutIdentity) ?? null, ...explanation, notes };
  } finally {
    await kernel.close();
  }
}

/**
 * Returns the result of each auth provider for the token; undefined when the configuration does not check
 * tokens.
 */
async function judgeToken(
  { authProvider: { kind, instance }, config }: Kernel,
  token: string | undefined,
): Promise<readonly TokenVerdict[] | undefined> {
  if (!kind.identifies || token === undefined) return undefined;
  if (instance.explainToken === undefined) throw tokenUnexplained(config.auth.mode);
  return await instance.explainToken(token);
}

/** Resolves the caller as the server does for every request: maps claims, then adds roles by the hook. */
async function findCaller(
  { config, hooks }: Kernel,
  policy: AccessQuestion['policy'],
  verdicts: readonly TokenVerdict[] | undefined,
): Promise<Caller | undefined> {
  const identity = verdicts?.find(({ accepted }) => accepted)?.identity;
  if (identity === undefined) return undefined;
  const caller = { ...identity, claims: mapClaims(identity.claims, config.auth.claims) };
  return await resolveCaller(hooks, policy, caller);
}

function withoutIdentity({ provider, issuer, accepted, because }: TokenVerdict): ProviderVerdict {
  return { provider, issuer, accepted, because };
}

type Resources = Pick<AccessQuestion, 'registry' | 'entry'> & Pick<AccessReport, 'notes'>;

async function findResources(kernel: Kernel, boot: BootOptions, wish: AccessWish): Promise<Resources> {
  const { config } = kernel;
  const { entry } = wish;
  const name = wish.registry ?? (entry === undefined ? undefined : onlyRegistry(config.registries));
  if (name === undefined) return { notes: [] };
  const configured = config.registries.find((registry) => registry.name === name);
  const sources =
    configured === undefined || entry !== undefined ? await findSources(kernel, boot, name, entry) : NOTHING;
  const registry = configured ?? sources.registry;
  if (registry === undefined) {
    throw registryUnknown(name, [
      ...new Set([...config.registries.map((one) => one.name), ...sources.names]),
    ]);
  }
  const notes = kernel.hooks.filtersEntries ? [...sources.notes, FILTERED] : sources.notes;
  if (entry === undefined) return { registry, notes: sources.notes };
  return { registry, entry: { ...entry, sources: sources.sources, skipped: sources.skipped }, notes };
}

const NOTHING: ExplainedSources = { registry: undefined, names: [], sources: [], skipped: [], notes: [] };
const FILTERED = 'A plugin uses the hook filterEntries, and may hide the entry.';

function onlyRegistry(registries: Kernel['config']['registries']): string {
  const [first, ...others] = registries;
  if (first === undefined || others.length > 0)
    throw badArgument('--entry: found no single registry to look in; expected --registry');
  return first.name;
}

/** Creates the error for an auth provider that cannot explain tokens. */
function tokenUnexplained(mode: string): PortolanError {
  return new PortolanError('ERR_TOKEN_UNEXPLAINED', 'fault', `auth.mode "${mode}" cannot explain tokens`, {
    hint: 'use --url to let the running server explain the token',
  });
}

/** Creates the error for a registry that neither the configuration nor the database has. */
function registryUnknown(name: string, known: readonly string[]): PortolanError {
  const names = known.map((one) => `"${one}"`).join(', ');
  return new PortolanError('ERR_REGISTRY_UNKNOWN', 'mistake', `there is no registry "${name}"`, {
    hint: names === '' ? 'define a registry: there is none' : `use one of ${names}`,
  });
}
