import { boolean, duration, int, string, stringArray } from './flag-types.ts';

const TRANSPORT = { helpGroup: 'TRANSPORT AND PROXY' };

/** Flags of `run` about how the server is spoken to, and about the proxy in front of it. */
export const transportFlags = {
  transport: string({
    ...TRANSPORT,
    description: 'how the server is spoken to: stdio, sse, streamable-http',
    fallback: 'that of the registry entry, else by rule',
    helpValue: 'TRANSPORT',
  }),
  'proxy-mode': string({
    ...TRANSPORT,
    description: 'what the proxy speaks in front of a stdio server: streamable-http, sse (deprecated)',
    fallback: 'streamable-http',
    helpValue: 'MODE',
  }),
  'proxy-port': int({
    ...TRANSPORT,
    description: 'port of this machine that the proxy listens on',
    fallback: 'a free one',
    helpValue: 'PORT',
  }),
  host: string({
    ...TRANSPORT,
    description: 'address or host name that the proxy listens on',
    fallback: '127.0.0.1',
    helpValue: 'HOST',
  }),
  'target-host': string({
    ...TRANSPORT,
    description: 'host that requests are forwarded to (sse and streamable-http)',
    fallback: '127.0.0.1',
    helpValue: 'HOST',
  }),
  'target-port': int({
    ...TRANSPORT,
    description: 'port that the container listens on (sse and streamable-http)',
    fallback: "the image's only one, else a free one that the server is told",
    helpValue: 'PORT',
  }),
  'endpoint-prefix': string({
    ...TRANSPORT,
    description: 'path in front of the endpoint URLs that SSE clients are told',
    helpValue: 'PATH',
  }),
  'session-ttl': duration({
    ...TRANSPORT,
    description: 'how long a session may be idle',
    fallback: '2h, also when it is 0',
  }),
  'stdio-sessions': string({
    ...TRANSPORT,
    description: 'whether each session of a stdio server has its own process: own, shared',
    fallback: 'own; shared with --publish',
    helpValue: 'WHICH',
  }),
  'trust-proxy-headers': boolean({
    ...TRANSPORT,
    description: 'believe X-Forwarded-Proto, -Host, -Port and -Prefix of a reverse proxy',
    fallback: 'false',
  }),
  'allowed-origins': stringArray({
    ...TRANSPORT,
    description: 'one more web origin that may use the proxy; repeatable',
    helpValue: 'ORIGIN',
  }),
};
