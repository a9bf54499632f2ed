import { parseDuration } from '@portolan/plugin-api';
import { textOf } from '../parse/text-of.ts';
import { findImageReference } from '@portolan/outbound';
import { checkForwardedHeader } from '../parse/key-value.ts';
import { isEndpointPrefix } from '../parse/endpoint-prefix.ts';
import { parseHost } from '../parse/listen-host.ts';
import { parsePublishedPort } from '../parse/published-port.ts';
import { findSecretReference } from '../parse/secret-reference.ts';
import { findStoreAddress } from '../parse/store-address.ts';
import { parseVolume } from '../parse/volume.ts';
import { isWorkloadName, parseGroupName } from '../target/workload-name.ts';
import { isMostSessions, MOST_SESSIONS_EVER } from './stdio-sessions.ts';
import { findOidcFaults, isScope } from './oidc-config.ts';
import { findMiddlewareFaults } from './middleware-of.ts';
import { findRemoteAuthFaults } from './remote-auth.ts';
import { findCredentialsFaults } from './remote-credentials.ts';
import type { RunConfig } from './run-config.ts';
import { isTransportName } from './transports.ts';

export const PROXY_MODES = ['streamable-http', 'sse'] as const;
export type ProxyMode = (typeof PROXY_MODES)[number];

export const VERIFICATION_MODES = ['warn', 'enabled', 'disabled'] as const;
export type VerificationMode = (typeof VERIFICATION_MODES)[number];

/** A server process for each session, or one for all. */
export const STDIO_SESSIONS = ['own', 'shared'] as const;
export type StdioSessions = (typeof STDIO_SESSIONS)[number];

const CHOICES: Readonly<Record<'proxy_mode' | 'image_verification' | 'stdio_sessions', readonly string[]>> = {
  // Other writers say here what the transport is.
  proxy_mode: ['stdio', ...PROXY_MODES],
  image_verification: VERIFICATION_MODES,
  stdio_sessions: STDIO_SESSIONS,
};

/** What is wrong with the values of a run config whose types are right, each with its place. */
export function checkRunConfig(config: RunConfig): readonly string[] {
  const problems: string[] = [];
  const expect = (isFine: boolean, problem: string): void => {
    if (!isFine) problems.push(problem);
  };
  const parse = (text: string, read: (text: string) => unknown): void => {
    if (text === '') return;
    try {
      read(text);
    } catch (error) {
      problems.push(textOf(error));
    }
  };
  expect(
    config.image !== '' || config.remote_url !== '' || config.run_target !== '',
    'image: found nothing to run; expected image, remote_url or run_target',
  );
  expect(
    config.image === '' || findImageReference(config.image) !== undefined,
    'image: expected an image reference',
  );
  expect(config.remote_url === '' || isRemoteUrl(config.remote_url), REMOTE_URL);
  for (const key of ['name', 'container_name', 'base_name'] as const) {
    expect(
      config[key] === '' || isWorkloadName(config[key]),
      `${key}: expected letters, digits, ".", "_", "-"`,
    );
  }
  expect(
    config.transport === '' || isTransportName(config.transport),
    'transport: expected the name of a transport, such as stdio',
  );
  for (const [key, choices] of Object.entries(CHOICES)) {
    const value = config[key as keyof typeof CHOICES]; // a key of the table
    expect(value === '' || choices.includes(value), `${key}: expected one of ${choices.join(', ')}`);
  }
  for (const key of ['port', 'target_port'] as const) {
    expect(config[key] >= 0 && config[key] <= 65_535, `${key}: expected a port from 0 to 65535`);
  }
  // The file may be another one there, or none: what it said counts.
  expect(
    config.authz_config_path === '' || config.authz_config !== undefined,
    'authz_config_path: found a file alone; expected authz_config beside it, with what stands in the file',
  );
  expect(
    config.max_sessions === 0 || isMostSessions(config.max_sessions),
    `max_sessions: expected a number from 1 to ${MOST_SESSIONS_EVER}`,
  );
  parse(config.host, (host) => parseHost(host, 'host'));
  // Of a remote server other writers have the port in it as well, and its URL says it all.
  if (config.remote_url === '') parse(config.target_host, (host) => parseHost(host, 'target_host'));
  parse(config.group, (group) => parseGroupName(group, 'group'));
  expect(isDuration(config.session_ttl), 'session_ttl: expected a duration that is not negative, 45m0s');
  const { session_store: store, session_store_password: password } = config;
  expect(
    store === '' || findStoreAddress(store) !== undefined,
    'session_store: expected an address without a password, redis://HOST:PORT/DB',
  );
  expect(
    store === '' || (['', STREAMABLE].includes(config.transport) && !config.stateless),
    `session_store: expected it with the transport ${STREAMABLE} alone, and without stateless`,
  );
  expect(
    password === '' || findSecretReference(password) !== undefined,
    'session_store_password: expected NAME,target=session_store_password',
  );
  expect(isEndpointPrefix(config.endpoint_prefix), 'endpoint_prefix: expected a path that starts with /');
  for (const [index, secret] of config.secrets.entries()) {
    expect(findSecretReference(secret) !== undefined, `secrets[${index}]: expected NAME,target=TARGET`);
  }
  for (const [index, volume] of config.volumes.entries()) {
    parse(volume, (text) => parseVolume(text, `volumes[${index}]`, { workingDirectory: '/', home: '/' }));
  }
  for (const [index, port] of config.publish.entries()) {
    parse(port, (text) => parsePublishedPort(text, `publish[${index}]`));
  }
  return [
    ...problems,
    ...checkMaps(config),
    ...checkOidc(config),
    ...findMiddlewareFaults(config),
    ...findRemoteAuthFaults(config),
    ...findCredentialsFaults(config),
  ];
}

/** The transport whose sessions several proxies can serve. */
const STREAMABLE = 'streamable-http';

const REMOTE_URL = 'remote_url: expected an http or https URL without user name and password';

function isRemoteUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

function isDuration(text: string): boolean {
  if (text === '') return true;
  try {
    return parseDuration(text) >= 0;
  } catch {
    // Any error says the same: it is no duration.
    return false;
  }
}

function checkOidc({ oidc_config: oidc }: RunConfig): readonly string[] {
  if (oidc === undefined) return [];
  const scope = oidc.Scopes.findIndex((text) => !isScope(text));
  return [
    ...findOidcFaults(oidc).map(
      ({ key, found, expected }) => `oidc_config.${key}: found ${found}; expected ${expected}`,
    ),
    ...(scope === -1 ? [] : [`oidc_config.Scopes[${scope}]: expected the name of a scope`]),
  ];
}

function checkMaps({ env_vars: variables, header_forward: forward }: RunConfig): readonly string[] {
  const problems: string[] = [];
  for (const [key, value] of Object.entries(variables)) {
    if (key === '' || /[=\0]/.test(key) || value.includes('\0')) {
      problems.push(`env_vars: ${JSON.stringify(key.slice(0, 60))} is no variable`);
    }
  }
  for (const [key, headers] of Object.entries(forward ?? {})) {
    for (const [name, value] of Object.entries<string>(headers)) {
      try {
        checkForwardedHeader(name, value, `header_forward.${key}`);
      } catch (error) {
        problems.push(textOf(error));
      }
    }
  }
  return problems;
}
