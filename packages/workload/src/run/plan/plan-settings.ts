import { type MergedSettings, planPlain, type Setting } from '@portolan/run-spec';
import type { PlannedSetting } from '../run-plan.ts';
import type { SettledRequest } from '../steps/settle-request.ts';

type Named = readonly (readonly [setting: string, value: Setting<unknown> | undefined])[];

const GUESS = 'unless the image, which is not here yet, exposes exactly one port';

/** Every setting with where it is from, by the names of the run config. Variables, secrets and headers stand apart. */
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
    ['cmd_args', settings.args],
    ['container_labels', settings.labels],
    ...containerSettings(settings),
    ['stdio_sessions', carries === 'messages' ? settings.stdioSessions : undefined],
    ...planPlain({ ...settings, proxyPort }),
    ['token_exchange_config.client_secret', keptSecret(settled)],
    [
      'oidc_config.ClientSecret',
      // A secret stands nowhere but under its name.
      settings.clientSecret && {
        ...settings.clientSecret,
        value: config.oidc_config?.ClientSecret ?? '',
      },
    ],
    // As they are kept: secrets became references.
    ...[...settings.policyFields].map(
      ([field, setting]) => [field, { ...setting, value: config[field] }] as const,
    ),
    ...(settings.remote === undefined ? [] : planPlain(settings.remote.auth)),
  ];
  return named.flatMap(([setting, value]) => (value === undefined ? [] : [plannedSetting(setting, value)]));
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

/** Values are plain data: texts, numbers, truth values, and lists and maps of those. */
export function plannedSetting(setting: string, { value, from, by }: Setting<unknown>): PlannedSetting {
  return { setting, value: value ?? null, from, by };
}

/** As it is kept: a reference. */
function keptSecret({ settings, config }: SettledRequest): Setting<unknown> | undefined {
  const { tokenExchangeSecret: secret } = settings;
  return secret && { ...secret, value: config.token_exchange_config?.['client_secret'] };
}
