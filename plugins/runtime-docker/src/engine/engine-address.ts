import { addressInvalid } from '../errors.ts';

export type EngineAddress =
  | { readonly over: 'socket'; readonly path: string }
  | {
      readonly over: 'tcp';
      readonly host: string;
      readonly port: number;
      readonly tls: EngineTls | undefined;
    }
  | {
      readonly over: 'ssh';
      readonly host: string;
      readonly user: string;
      readonly port: number | undefined;
      readonly path: string;
    };

/** TLS certificates in PEM. Without a key pair, the client sends no certificate. */
export interface EngineTls {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly verify: boolean;
}

const EXPECTED = 'unix://, npipe://, tcp://, http://, https:// or ssh:// with an address';
const PLAIN_PORT = 2375;
const TLS_PORT = 2376;

/**
 * Parses an address in the syntax of Docker's client. `tls` applies to `tcp://` and `https://`. Without it,
 * `https://` trusts the CA certificates of the system. `from` is the origin of the text, for errors.
 */
export function parseEngineAddress(text: string, from: string, tls: EngineTls | undefined): EngineAddress {
  const path = /^(?:unix|npipe):\/\/(.+)$/.exec(text)?.[1];
  if (path !== undefined) return { over: 'socket', path };
  const url = URL.parse(text.includes('://') ? text : `tcp://${text}`);
  if (url === null || url.hostname === '') throw addressInvalid(text, from, EXPECTED);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? undefined : Number(url.port);
  switch (url.protocol) {
    case 'ssh:':
      return {
        over: 'ssh',
        host: safeHost(host, text, from),
        user: decodeURIComponent(url.username),
        port,
        path: pathOf(url),
      };
    case 'https:':
      return { over: 'tcp', host, port: port ?? TLS_PORT, tls: tls ?? SYSTEM_TRUST };
    case 'tcp:':
    case 'http:':
      if (port === 0) throw addressInvalid(text, from, 'a port from 1 to 65535');
      return { over: 'tcp', host, port: port ?? (tls === undefined ? PLAIN_PORT : TLS_PORT), tls };
    default:
      throw addressInvalid(text, from, EXPECTED);
  }
}

const SYSTEM_TRUST: EngineTls = { ca: undefined, cert: undefined, key: undefined, verify: true };

function pathOf(url: URL): string {
  return url.pathname === '/' ? '' : decodeURIComponent(url.pathname);
}

/** Rejects a host that begins with a dash, which ssh would parse as an option. */
function safeHost(host: string, text: string, from: string): string {
  if (host.startsWith('-')) throw addressInvalid(text, from, 'a host name that does not begin with a dash');
  return host;
}

/** Formats an address for people: `unix:///var/run/docker.sock`. */
export function showEngineAddress(address: EngineAddress): string {
  switch (address.over) {
    case 'socket':
      return `${address.path.startsWith('//./pipe/') ? 'npipe' : 'unix'}://${address.path}`;
    case 'tcp':
      return `${address.tls === undefined ? 'tcp' : 'https'}://${showHost(address.host)}:${address.port}`;
    case 'ssh':
      return `ssh://${address.user === '' ? '' : `${address.user}@`}${showHost(address.host)}${
        address.port === undefined ? '' : `:${address.port}`
      }${address.path}`;
    default:
      return address satisfies never;
  }
}

function showHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
