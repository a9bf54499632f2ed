import type { Carries } from '../run-config/transports.ts';
import { TOKEN_EXCHANGE_FLAGS } from './flags/token-exchange-flags.ts';
import type { MergeInput } from './merge-input.ts';
import { givenHeaders } from './merge-remote.ts';
import { type RunFlagName, typedFlag } from './run-flags.ts';
import { hasNoEffect } from './without-effect.ts';
import { pickSetting, type Setting } from './setting.ts';
import { settingsConflict } from './settings-errors.ts';

const NAMES = Object.keys(TOKEN_EXCHANGE_FLAGS) as readonly (keyof typeof TOKEN_EXCHANGE_FLAGS)[];
const URL_FLAG = typedFlag('tokenExchangeUrl');

export const NOTHING_TO_EXCHANGE = `${URL_FLAG} exchanges nothing: callers prove nothing without --oidc-issuer or its like, and what they send goes on as it is.`;

const REMOTE_CREDENTIALS = [
  'remoteAuth',
  'remoteAuthBearerToken',
  'remoteAuthBearerTokenFile',
] as const satisfies readonly RunFlagName[];

/**
 * Returns warnings about credentials of the workload that are not sent because callers' tokens are exchanged.
 */
export function warnOfLeftCredentials({ request: { flags } }: MergeInput): readonly string[] {
  if (flags.tokenExchangeUrl === undefined) return [];
  const own = (flags.tokenExchangeHeaderName ?? '').toLowerCase();
  const headers = [...givenHeaders(flags)].filter((name) => name === 'authorization' || name === own);
  return [
    ...REMOTE_CREDENTIALS.filter((name) => flags[name] !== undefined && flags[name] !== false).map(typedFlag),
    ...headers.map((name) => `The forwarded header ${name}`),
  ].map((what) => hasNoEffect(what, `with ${URL_FLAG} the server gets tokens of callers alone`));
}

/**
 * Checks the flags of a token exchange. Throws ERR_SETTINGS_CONFLICT for incomplete ones, so that a token is
 * never forwarded without the exchange.
 */
export function checkTokenExchangeFlags(
  { request: { flags } }: MergeInput,
  carries: Carries | undefined,
): void {
  const [first] = NAMES.filter((name) => flags[name] !== undefined);
  if (first === undefined) return;
  if (flags.tokenExchangeUrl === undefined) {
    throw settingsConflict(typedFlag(first), 'the other flags', `it needs ${URL_FLAG} beside it`);
  }
  const { tokenExchangeClientSecret: secret, tokenExchangeClientSecretFile: file } = flags;
  if (secret !== undefined && file !== undefined) {
    const both = [
      typedFlag('tokenExchangeClientSecret'),
      typedFlag('tokenExchangeClientSecretFile'),
    ] as const;
    throw settingsConflict(...both, 'both say the secret');
  }
  if (carries === 'messages') refuseTokenExchange(URL_FLAG);
}

/** Rejects a token exchange with a stdio server, whose requests cannot carry a token. */
export function refuseTokenExchange(place: string): never {
  const because = 'it gets messages, and no requests that could carry a token';
  throw settingsConflict(place, 'a server on standard input and output', because);
}

/**
 * Returns the client secret of the flag, else of the file, else of the environment. Undefined without a
 * client ID.
 */
export function mergeTokenExchangeSecret({
  request: { flags },
  tokenExchangeSecret: match,
}: MergeInput): Setting<string> | undefined {
  if (flags.tokenExchangeUrl === undefined) return undefined;
  const by = typedFlag('tokenExchangeClientSecret');
  const isForClient = match?.isGiven === true || flags.tokenExchangeClientId !== undefined;
  const picked = pickSetting<string | undefined>(
    [
      { value: flags.tokenExchangeClientSecret, from: 'flag', by },
      { value: isForClient ? match?.value : undefined, from: 'rule', by: match?.by ?? '' },
    ],
    undefined,
  );
  return picked.value === undefined ? undefined : { ...picked, value: picked.value };
}
