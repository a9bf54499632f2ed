import { asksForTokens, completeOidc, findOidcFaults } from '../run-config/oidc-config.ts';
import type { OidcConfig } from '../run-config/parts.ts';
import { OIDC_FLAGS } from './flags/oidc-flags.ts';
import type { MergeInput } from './merge-input.ts';
import { unusableSetting } from '../parse/parse-errors.ts';
import { settingsConflict } from './settings-errors.ts';
import { pickSetting, type Setting } from './setting.ts';

type OidcFlagName = keyof typeof OIDC_FLAGS;

const NAMES = Object.keys(OIDC_FLAGS) as readonly OidcFlagName[];

/** Flags that also have an effect without OpenID Connect. */
const ALONE: readonly OidcFlagName[] = ['resourceUrl', 'cliCaBundle'];

/** Returns the client secret of the flag, else of the environment. Undefined without a client ID. */
export function mergeClientSecret({
  request: { flags },
  oidcClientSecret,
}: MergeInput): Setting<string> | undefined {
  const fromEnvironment = flags.oidcClientId === undefined ? undefined : oidcClientSecret;
  const picked = pickSetting<string | undefined>(
    [
      { value: flags.oidcClientSecret, from: 'flag', by: '--oidc-client-secret' },
      { value: fromEnvironment?.value, from: 'rule', by: fromEnvironment?.by ?? '' },
    ],
    undefined,
  );
  const { value } = picked;
  return value === undefined ? undefined : { ...picked, value };
}

/**
 * Merges the settings for authenticating callers. Throws ERR_SETTING. Throws ERR_SETTINGS_CONFLICT for a flag
 * without an issuer, JWKS or introspection address, which would admit every caller.
 */
export function mergeOidc(
  { request: { flags } }: MergeInput,
  plain: Readonly<Record<string, unknown>>,
  clientSecret: Setting<string> | undefined,
): OidcConfig | undefined {
  const oidc = plain['oidc_config'] as Partial<OidcConfig> | undefined;
  const usedNames = NAMES.filter((name) => flags[name] !== undefined && !ALONE.includes(name));
  const whole = completeOidc(
    clientSecret === undefined ? oidc : { ...oidc, ClientSecret: clientSecret.value },
  );
  if (whole === undefined) return undefined;
  for (const { key, found, expected } of findOidcFaults(whole))
    throw unusableSetting(flagOf(key), found, expected);
  const [lonely] = usedNames;
  if (lonely === undefined || asksForTokens(whole)) return whole;
  throw settingsConflict(
    `--${OIDC_FLAGS[lonely].flag}`,
    'these settings',
    'it needs --oidc-issuer, --oidc-jwks-url or --oidc-introspection-url beside it',
  );
}

function flagOf(key: keyof OidcConfig): string {
  const row = Object.values(OIDC_FLAGS).find(({ field }) => field === `oidc_config.${key}`);
  return row === undefined ? key : `--${row.flag}`;
}
