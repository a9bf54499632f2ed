import { type MergedSettings, planPlain, type Setting } from '@portolan/run-spec';
import { authorOf } from './plan-authors.ts';
import type { PlannedSetting } from '../run-plan.ts';
import type { SettledRequest } from '../steps/settle-request.ts';

type Named = readonly (readonly [setting: string, value: Setting<unknown> | undefined])[];

const GUESS = 'unless the image, which is not pulled yet, exposes exactly one port';

/**
 * Returns every setting with its value and origin. Leaves out variables, secrets and headers, which the plan
 * lists elsewhere.
 */
export function planSettings(settled: SettledRequest, isGuess: boolean): readonly PlannedSetting[] {
  const { settings, proxyPort, targetPort, config } = settled;
  const { transport, carries, proxyMode } = settings;
  const guess = (setting: Setting<unknown> | undefined): Setting<unknown> | undefined =>
    isGuess && setting?.from === 'rule' ? { ...setting, by: GUESS } : setting;
  const named: Named = [
    ['name', settings.name],
    ['transport', guess(transport)],
    ['proxy_mode', guess(proxyMode)],
    ['target_host', carries === 'messages' ? undefined : settings.targetHost],
    ['target_port', targetPort],
    ['target_path', carries === 'http' ? settings.targetPath : undefined],
    ['cmd_args', settings.args],
    ['container_labels', settings.labels],
    ...containerSettings(settings),
    ['stdio_sessions', carries === 'messages' ? settings.stdioSessions : undefined],
    ...planPlain({ ...settings, proxyPort }),
    ['token_exchange_config.client_secret', keptSecret(settled)],
    [
      'oidc_config.ClientSecret',
      // Show the reference to the secret, never its value.
      settings.clientSecret && {
        ...settings.clientSecret,
        value: config.oidc_config?.ClientSecret ?? '',
      },
    ],
    // Policies are shown as stored, with references instead of secrets.
    ...[...settings.policyFields].map(
      ([field, setting]) => [field, { ...setting, value: config[field] }] as const,
    ),
    ...remoteSettings(settings),
  ];
  return named.flatMap(([setting, value]) => (value === undefined ? [] : [plannedSetting(setting, value)]));
}

function remoteSettings({ remote }: MergedSettings): Named {
  if (remote === undefined) return [];
  const plain = planPlain(remote.auth);
  const named = new Set(plain.map(([name]) => name));
  const ofEntry = Object.entries(remote.entryAuth)
    .map(([key, value]) => [`remote_auth_config.${key}`, value] as const)
    .filter(([name]) => !named.has(name) && name !== 'remote_auth_config.published_client');
  return [
    ...plain,
    ...ofEntry.map(
      ([name, value]) => [name, { value, from: 'registry', by: 'oauth_config of the entry' }] as const,
    ),
  ];
}

function containerSettings({ container }: MergedSettings): Named {
  if (container === undefined) return [];
  const { profile } = container;
  const named = profile.named ?? profile.profile.name ?? 'of the registry entry';
  return [
    ['permission_profile', { value: named, from: profile.from, by: profileOrigin(profile.from) }],
    ['network', { ...container.network, value: container.network.value || 'bridge' }],
    ['isolate_network', container.isolateNetwork],
    ...planPlain(container),
    ['runtime_config', container.runtime.value === undefined ? undefined : container.runtime],
  ];
}

function profileOrigin(from: string): string {
  if (from === 'flag') return '--permission-profile';
  return from === 'registry' ? 'the entry' : 'built in';
}

export function plannedSetting(
  setting: string,
  { value, from, by }: Setting<unknown>,
  author: PlannedSetting['author'] = USER_SECRETS.includes(setting) ? 'user' : authorOf(from),
): PlannedSetting {
  return { setting, value: value ?? null, from, by, author };
}

/**
 * Run config fields whose secret comes from the user's environment. Their origin is `rule`, but their author
 * is the user.
 */
const USER_SECRETS = ['token_exchange_config.client_secret', 'oidc_config.ClientSecret'];

function keptSecret({ settings, config }: SettledRequest): Setting<unknown> | undefined {
  const { tokenExchangeSecret: secret } = settings;
  return secret && { ...secret, value: config.token_exchange_config?.['client_secret'] };
}
