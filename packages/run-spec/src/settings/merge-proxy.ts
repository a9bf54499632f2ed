import { badSetting } from './settings-errors.ts';
import { isEndpointPrefix } from '../parse/endpoint-prefix.ts';
import { parseHost } from '../parse/listen-host.ts';
import { parsePort } from '../parse/published-port.ts';
import { flagSetting } from './merge-container.ts';
import type { MergedSettings, MergeInput } from './merged-settings.ts';
import { mapped, pickSetting } from './setting.ts';

type ProxySettings = Pick<
  MergedSettings,
  | 'proxyPort'
  | 'host'
  | 'targetHost'
  | 'endpointPrefix'
  | 'sessionTtlMs'
  | 'trustProxyHeaders'
  | 'stateless'
  | 'allowedOrigins'
>;

/** Settings of the proxy in front. Throws ERR_SETTING and ERR_HOST. */
export function mergeProxy({ request, entry }: MergeInput, url: URL | undefined): ProxySettings {
  const { flags } = request;
  const { endpointPrefix, sessionTtlMs } = flags;
  if (endpointPrefix !== undefined && !isEndpointPrefix(endpointPrefix)) {
    throw badSetting(
      '--endpoint-prefix',
      endpointPrefix,
      'a path that starts with /, other characters than those of a URL as %XX',
    );
  }
  if (sessionTtlMs !== undefined && !(sessionTtlMs >= 0)) {
    throw badSetting('--session-ttl', `${sessionTtlMs}ms`, 'a duration that is not negative');
  }
  const port = pickSetting<number | undefined>(
    [
      {
        value: mapped(flags.proxyPort, (value) => checkPort(value, '--proxy-port')),
        from: 'flag',
        by: '--proxy-port',
      },
      { value: entry?.server.proxyPort, from: 'registry', by: 'proxy_port of the entry' },
    ],
    undefined,
  );
  return {
    proxyPort: port.value === undefined ? undefined : { ...port, value: port.value },
    host: flagSetting(
      '--host',
      mapped(flags.host, (text) => parseHost(text, '--host')),
      '127.0.0.1',
    ),
    targetHost: pickSetting(
      [
        { value: url?.hostname.replace(/^\[|\]$/g, ''), from: 'rule', by: 'the host of the URL' },
        {
          value: mapped(flags.targetHost, (text) => parseHost(text, '--target-host')),
          from: 'flag',
          by: '--target-host',
        },
      ],
      '127.0.0.1',
    ),
    endpointPrefix: flagSetting('--endpoint-prefix', endpointPrefix, ''),
    sessionTtlMs: flagSetting('--session-ttl', sessionTtlMs, 0),
    trustProxyHeaders: flagSetting('--trust-proxy-headers', flags.trustProxyHeaders, false),
    stateless: pickSetting(
      [{ value: entry?.server.stateless, from: 'registry', by: 'stateless of the entry' }],
      false,
    ),
    allowedOrigins: flagSetting('--allowed-origins', flags.allowedOrigins?.map(checkOrigin), []),
  };
}

/** Throws ERR_SETTING. */
export function checkPort(port: number, place: string): number {
  if (parsePort(String(port)) === undefined) throw badSetting(place, String(port), 'a port from 1 to 65535');
  return port;
}

function checkOrigin(text: string): string {
  const origin = URL.parse(text)?.origin;
  if (origin === undefined || origin === 'null') {
    throw badSetting('--allowed-origins', text, 'an origin such as https://app.acme.example');
  }
  return origin;
}
