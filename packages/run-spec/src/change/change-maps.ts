import { parseForwardedHeader, parseForwardedHeaderSecret } from '../parse/key-value.ts';
import { parseSecretReference } from '../parse/secret-reference.ts';
import type { HeaderForward } from '../run-config/parts.ts';
import type { RunConfig } from '../run-config/run-config.ts';
import { type RunFlags, typedFlag } from '../settings/run-flags.ts';
import { findUnset, type RunChange, type Unset } from './run-change.ts';
import type { MergedSettings } from '../settings/merged-settings.ts';
import type { RunFlagName } from '../settings/run-flags.ts';

export interface Parts {
  readonly config: RunConfig;
  /** Run config made only from the given flags and the stored flags that affect them. */
  readonly fresh: RunConfig;
  readonly settings: MergedSettings;
  readonly touched: ReadonlySet<RunFlagName>;
  readonly unset: readonly Unset[];
}

export function changeVariables({
  config,
  fresh,
  unset,
}: Pick<Parts, 'config' | 'fresh' | 'unset'>): Partial<RunConfig> {
  const targetOf = (text: string): string => parseSecretReference(text, 'secrets').target;
  const secrets = new Set(fresh.secrets.map(targetOf));
  const isClear = (name: string): boolean => Object.hasOwn(fresh.env_vars, name);
  const gone = findUnset(unset, 'secrets');
  const variables = changeMap(config.env_vars, fresh.env_vars, findUnset(unset, 'env'));
  const remainingSecrets = config.secrets.filter((text) => {
    const target = targetOf(text);
    return !secrets.has(target) && !isClear(target) && !gone.some(({ item = target }) => item === target);
  });
  return {
    env_vars: Object.fromEntries(Object.entries(variables).filter(([name]) => !secrets.has(name))),
    secrets: [...remainingSecrets, ...fresh.secrets],
  };
}

export function changeMap(
  stored: Readonly<Record<string, string>>,
  input: Readonly<Record<string, string>>,
  unset: readonly Unset[],
): Readonly<Record<string, string>> {
  const remaining = Object.entries(stored).filter(([key]) => !unset.some(({ item = key }) => item === key));
  return { ...Object.fromEntries(remaining), ...input };
}

/**
 * Merges the stored forwarded headers with those of the flags. Names are case-insensitive. A new header
 * replaces the stored one, whether in plain text or from a secret.
 */
export function changeHeaders({ config, unset }: Parts, flags: RunFlags): HeaderForward | undefined {
  const { header_forward: stored } = config;
  const plain = (flags.remoteForwardHeaders ?? []).map((text) =>
    parseForwardedHeader(text, typedFlag('remoteForwardHeaders')),
  );
  const secret = (flags.remoteForwardHeadersSecret ?? []).map((text) =>
    parseForwardedHeaderSecret(text, typedFlag('remoteForwardHeadersSecret')),
  );
  const inputs = new Set([...plain, ...secret].map(({ key }) => key.toLowerCase()));
  const keep = (
    map: Readonly<Record<string, string>> = {},
    flag: 'remoteForwardHeaders' | 'remoteForwardHeadersSecret',
  ): readonly (readonly [string, string])[] =>
    Object.entries(map).filter(([key]) => {
      const name = key.toLowerCase();
      return (
        !inputs.has(name) && !findUnset(unset, flag).some(({ item = name }) => item.toLowerCase() === name)
      );
    });
  if (stored === undefined && inputs.size === 0) return undefined;
  const pairs = (items: typeof plain): readonly (readonly [string, string])[] =>
    items.map(({ key, value }) => [key, value]);
  return {
    add_plaintext_headers: Object.fromEntries([
      ...keep(stored?.add_plaintext_headers, 'remoteForwardHeaders'),
      ...pairs(plain),
    ]),
    add_headers_from_secret: Object.fromEntries([
      ...keep(stored?.add_headers_from_secret, 'remoteForwardHeadersSecret'),
      ...pairs(secret),
    ]),
  };
}

export function changeArguments({ config, unset }: Parts, { args }: RunChange): Partial<RunConfig> {
  if (config.remote_url !== '') return {};
  if (args !== undefined) return { cmd_args: args };
  return findUnset(unset, 'args').length > 0 ? { cmd_args: [] } : {};
}
