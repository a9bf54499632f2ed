import { settingsConflict } from './settings-errors.ts';
import { STDIO_SESSIONS } from '../run-config/choices.ts';
import { parseChoice } from '../run-config/checks/check-values.ts';
import { chooseProxyMode, chooseTransport } from './choose-transport.ts';
import { schemeOf } from './merge-container.ts';
import type { MergedSettings } from './merged-settings.ts';
import type { MergeInput } from './merge-input.ts';
import { mergePlain } from './plain-settings.ts';
import { mapped, pickSetting, type Setting } from './setting.ts';

type TransportSettings = Pick<
  MergedSettings,
  'transport' | 'carries' | 'proxyMode' | 'targetPort' | 'targetPath' | 'stdioSessions'
>;

/** Transport of a virtual server, whose members have transports of their own. */
export const VIRTUAL_TRANSPORT: TransportSettings = {
  transport: { value: 'streamable-http', from: 'rule', by: 'a virtual server speaks it' },
  carries: 'messages',
  proxyMode: { value: 'streamable-http', from: 'rule', by: 'a virtual server speaks it' },
  targetPort: undefined,
  targetPath: undefined,
  stdioSessions: { value: 'own', from: 'rule', by: 'each member has sessions of its own' },
};

/** Merges the settings of the transport and the proxy. Throws ERR_SETTING and ERR_SETTINGS_CONFLICT. */
export function mergeTransport(input: MergeInput, url: URL | undefined): TransportSettings {
  const { request, entry, exposedPorts, transports } = input;
  const { flags } = request;
  const target = schemeOf(input) !== undefined ? 'scheme' : url === undefined ? 'image' : 'url';
  const targetPortFlag = flags.targetPort;
  const registry = entry?.server.transport;
  const transport = chooseTransport({
    target,
    transports,
    flag: flags.transport,
    registry,
    targetPortFlag,
    targetPathFlag: flags.targetPath,
    exposedPorts,
    url,
  });
  const carries = transport === undefined ? undefined : transports.get(transport.value);
  if (url !== undefined && transport !== undefined && carries === 'messages') {
    throw settingsConflict(
      `--transport ${transport.value}`,
      'a URL',
      'a remote server is spoken to over HTTP',
    );
  }
  const port = pickSetting<number | undefined>(
    [
      { value: targetPortFlag, from: 'flag', by: '--target-port' },
      { value: entry?.filled.targetPort, from: 'registry', by: 'transport of the entry' },
    ],
    undefined,
  );
  const sessions = flags.stdioSessions;
  const proxyMode =
    transport === undefined || carries === undefined
      ? undefined
      : chooseProxyMode(transport.value, carries, flags.proxyMode);
  const { stateless, sessionStore, translateEras, start, stopAfterIdleMs } = mergePlain(input);
  if (stateless.value) checkStateless(stateless.by, { transport, proxyMode, sessions });
  if (sessionStore.value !== '') checkKeptSessions(sessionStore.by, transport?.value, stateless);
  const onDemand = [
    start.value === 'lazy' ? start : undefined,
    stopAfterIdleMs.value > 0 ? stopAfterIdleMs : undefined,
  ];
  for (const setting of onDemand) {
    if (setting === undefined || sessionStore.value === '') continue;
    const because = 'the proxy itself keeps the sessions of a server that starts on demand';
    throw settingsConflict(setting.by, sessionStore.by, because);
  }
  if (translateEras?.value === true)
    checkTranslation(translateEras.by, { transport, proxyMode, sessionStore });
  return {
    transport,
    carries,
    proxyMode,
    targetPort: port.value === undefined ? undefined : { ...port, value: port.value },
    targetPath: url === undefined ? mergeTargetPath(input) : undefined,
    stdioSessions: mergeSessions(flags, stateless.value),
  };
}

/**
 * Decides whether sessions share a server process: by the flag, else by what the server or its published
 * ports need.
 */
function mergeSessions(
  { stdioSessions, publish = [] }: MergeInput['request']['flags'],
  isStateless: boolean,
): TransportSettings['stdioSessions'] {
  return pickSetting(
    [
      {
        value: mapped(stdioSessions, (text) => parseChoice(text, '--stdio-sessions', STDIO_SESSIONS)),
        from: 'flag',
        by: '--stdio-sessions',
      },
      {
        value: isStateless ? 'shared' : undefined,
        from: 'rule',
        by: 'the server keeps nothing between requests',
      },
      {
        value: publish.length > 0 ? 'shared' : undefined,
        from: 'rule',
        by: 'two processes cannot publish one port',
      },
    ],
    'own',
  );
}

function mergeTargetPath({ request, entry }: MergeInput): Setting<string> | undefined {
  const path = pickSetting<string | undefined>(
    [
      { value: request.flags.targetPath, from: 'flag', by: '--target-path' },
      { value: entry?.filled.targetPath, from: 'registry', by: 'transport of the entry' },
    ],
    undefined,
  );
  return path.value === undefined ? undefined : { ...path, value: path.value };
}

interface BesideStateless {
  readonly transport: { readonly value: string } | undefined;
  readonly proxyMode: { readonly value: string } | undefined;
  readonly sessions: string | undefined;
}

/** Rejects a session store with sessions that several proxies cannot share. Throws ERR_SETTINGS_CONFLICT. */
function checkKeptSessions(
  by: string,
  transport: string | undefined,
  stateless: { readonly value: boolean; readonly by: string },
): void {
  if (transport !== undefined && transport !== 'streamable-http') {
    throw settingsConflict(by, `the transport ${transport}`, 'it is for servers that speak streamable-http');
  }
  if (stateless.value)
    throw settingsConflict(by, stateless.by, 'a server that keeps nothing has no sessions');
}

interface BesideTranslation {
  readonly transport: { readonly value: string } | undefined;
  readonly proxyMode: { readonly value: string } | undefined;
  readonly sessionStore: { readonly value: string; readonly by: string };
}

/**
 * Rejects translation between protocol revisions where clients have only revisions with a handshake, and where
 * several proxies share sessions. Throws ERR_SETTINGS_CONFLICT.
 */
function checkTranslation(by: string, { transport, proxyMode, sessionStore }: BesideTranslation): void {
  const hasSse = transport?.value === 'sse' || proxyMode?.value === 'sse';
  if (hasSse) throw settingsConflict(by, 'HTTP+SSE', 'clients of HTTP+SSE have older revisions only');
  if (sessionStore.value !== '')
    throw settingsConflict(by, sessionStore.by, 'only one proxy knows the sessions that it translates');
}

/**
 * Rejects stateless mode with settings that need a stream or session of a client. Throws
 * ERR_SETTINGS_CONFLICT.
 */
function checkStateless(by: string, { transport, proxyMode, sessions }: BesideStateless): void {
  const hasSse = transport?.value === 'sse' || proxyMode?.value === 'sse';
  if (hasSse) throw settingsConflict(by, 'HTTP+SSE', 'a client of HTTP+SSE has its session in a stream');
  if (sessions?.toLowerCase() === 'own') {
    throw settingsConflict(by, '--stdio-sessions own', 'a server that keeps nothing has no sessions');
  }
}
