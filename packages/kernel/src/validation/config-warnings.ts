import { ROLES } from '@portolan/plugin-api';
import type { KindTable } from '../kinds/kind-table.ts';
import { type AuthConfig, type ConfiguredRoleRule, OPEN_ANYWAY } from '../config/auth-schema.ts';
import { formatConfigPath, type ConfigPath } from '../faults/config-path.ts';
import type { PortolanConfig } from '../config/core-schema.ts';
import { exporterSettings } from '../config/telemetry-schema.ts';

export function warnOfConfig(config: PortolanConfig, kinds: KindTable): readonly string[] {
  return [
    ...warnOfAuth(config, kinds),
    ...warnOfPaths(config),
    ...warnOfProxies(config),
    ...warnOfTelemetry(config),
  ];
}

/** Returns a warning for each item of `auth.publicPaths` without effect: the path needs no token anyway. */
function warnOfPaths({ auth }: PortolanConfig): readonly string[] {
  return auth.publicPaths.flatMap((path, index) => {
    if (!OPEN_ANYWAY.includes(path)) return [];
    const because =
      path === '/metrics'
        ? 'the internal listener has it, and asks nobody for a token'
        : 'it is answered without a token in any case';
    return [`auth.publicPaths[${index}] ("${path}") changes nothing: ${because}`];
  });
}

function warnOfProxies({ server }: PortolanConfig): readonly string[] {
  const everybody = server.trustedProxies.find((range) => /\/0+$/.test(range));
  return everybody === undefined
    ? []
    : [`server.trustedProxies has ${everybody}: anybody can choose the address that log and audit show`];
}

function warnOfTelemetry({ telemetry }: PortolanConfig): readonly string[] {
  const { enabled, tracing, metrics } = telemetry;
  if (enabled)
    return tracing.enabled || metrics.enabled
      ? []
      : ['telemetry.enabled changes nothing: neither telemetry.tracing nor telemetry.metrics is enabled'];
  const [setting] = Object.keys(exporterSettings(telemetry));
  if (tracing.enabled) return ['telemetry.tracing changes nothing without telemetry.enabled: true'];
  return setting === undefined
    ? []
    : [`telemetry.${setting} changes nothing without telemetry.enabled: true`];
}

function warnOfAuth({ auth, registries }: PortolanConfig, kinds: KindTable): readonly string[] {
  const identifies = kinds.authProviders.get(auth.mode)?.kind.identifies === true;
  if (!identifies) {
    return auth.authz === undefined
      ? []
      : [`auth.authz changes nothing: the mode "${auth.mode}" identifies nobody, so nothing is checked`];
  }
  const hidden = registries.flatMap(({ name, publicClaims }, index) =>
    publicClaims === undefined || Object.keys(publicClaims).length > 0
      ? []
      : [`registries[${index}] ("${name}") is public without publicClaims: it shows nothing without a token`],
  );
  return [...warnOfRules(auth.authz), ...hidden];
}

function warnOfRules(authz: AuthConfig['authz']): readonly string[] {
  return ROLES.flatMap((role) =>
    (authz?.roles[role] ?? []).flatMap((rule, index) =>
      warnOfRule(rule, ['auth', 'authz', 'roles', role, index]),
    ),
  );
}

function warnOfRule(rule: ConfiguredRoleRule, place: ConfigPath): readonly string[] {
  const empty = Object.keys(rule).find((key) => rule[key]?.length === 0 && Array.isArray(rule[key]));
  if (empty !== undefined)
    return [`${formatConfigPath([...place, empty])} is an empty list: the rule matches nobody`];
  return Object.keys(rule).length === 0
    ? [`${formatConfigPath(place)} is an empty rule: it matches nobody`]
    : [];
}
