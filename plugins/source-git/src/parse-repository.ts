import { isLoopbackHost, isPort, parseEgressHost, writeHost } from '@portolan/outbound';

/** git cannot mistake this form for an option, a helper or a local path. */
export interface Repository {
  readonly scheme: 'https' | 'http' | 'ssh' | 'file';
  /** Lower case; IPv6 without brackets. Empty for a file. */
  readonly host: string;
  /** Port of the server. 0 for a local repository. */
  readonly port: number;
  /** Address for git, without a password. */
  readonly address: string;
}

/** Fault of a repository address. It does not show the address, which may contain a password. */
export interface RepositoryFault {
  readonly found: string;
  readonly expected: string;
}

const ADDRESSES = 'an address that begins with https:// or ssh://, or user@host:path';
const DEFAULT_PORTS = { https: 443, http: 80, ssh: 22 } as const;
/** Usual user name for ssh: GitHub, GitLab and others identify users by their key instead. */
const USUAL_USER = 'git';

export interface RepositoryRules {
  readonly allowHttp: boolean;
  /** Like `PluginContext.trustsLoopback`: also accepts `http://` of a loopback host and `file:///`. */
  readonly trustsLoopback: boolean;
}

/** Parses the address of a repository. Accepts only known valid forms. */
export function parseRepository(
  text: string,
  { allowHttp, trustsLoopback }: RepositoryRules,
): Repository | RepositoryFault {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  if (/[\s\u0000-\u001f\u007f\\]/u.test(text))
    return faulty('an address with a space, a backslash or a control character');
  if (/%(?:[01][0-9a-f]|7f)/i.test(text)) return faulty('an address with an encoded control character');
  if (text.startsWith('-')) return faulty('an address that begins with -');
  if (/^[\w+.-]*::/.test(text)) return faulty('the name of a remote helper');
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  switch (scheme) {
    case undefined:
      return parseShort(text);
    case 'ssh':
      return parseSsh(text);
    case 'https':
      return parseHttp(text, scheme);
    case 'http':
      if (allowHttp || (trustsLoopback && isLoopbackHost(URL.parse(text)?.hostname ?? '')))
        return parseHttp(text, scheme);
      return {
        found: 'an address that begins with http://',
        expected: 'https://, or allowHttp: true as well',
      };
    case 'file':
      return trustsLoopback ? parseFile(text) : faulty('an address that begins with file://');
    default:
      return faulty(`an address that begins with ${scheme}://`);
  }
}

export function isRepositoryFault(parsed: Repository | RepositoryFault): parsed is RepositoryFault {
  return 'found' in parsed;
}

function parseHttp(text: string, scheme: 'https' | 'http'): Repository | RepositoryFault {
  const url = URL.parse(text);
  if (url === null) return faulty('something other than an address');
  if (
    url.username !== '' ||
    url.password !== '' ||
    (text.includes('@', text.indexOf('://')) && authorityOf(text).includes('@'))
  )
    return { found: 'an address with a user or password', expected: 'credentials in auth' };
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(text))
    return faulty('an address with a query or fragment');
  const host = parseEgressHost(url.hostname);
  const port = url.port === '' ? DEFAULT_PORTS[scheme] : Number(url.port);
  if (host === undefined || !isPort(port)) return faulty('an address without a host that can be asked');
  const path = url.pathname.replace(/\/+$/, '');
  if (path === '') return faulty('an address without a path');
  const shownPort = port === DEFAULT_PORTS[scheme] ? '' : `:${port}`;
  return { scheme, host: host.text, port, address: `${scheme}://${writeHost(host)}${shownPort}${path}` };
}

/** Parses the `file:` address of a bare repository on this machine. */
function parseFile(text: string): Repository | RepositoryFault {
  const url = URL.parse(text);
  const path = url?.pathname.replace(/\/+$/, '') ?? '';
  const isLocal = /^file:\/\/\/[^/]/i.test(text) && url?.host === '';
  if (!isLocal || path === '' || /[?#]/.test(text))
    return { found: 'a file address that cannot be parsed', expected: 'file:// and an absolute path' };
  return { scheme: 'file', host: '', port: 0, address: `file://${path}` };
}

function authorityOf(text: string): string {
  return text.slice(text.indexOf('://') + 3).split('/', 1)[0] ?? '';
}

function parseSsh(text: string): Repository | RepositoryFault {
  const [, login, written = '', digits, path = ''] =
    /^ssh:\/\/(?:([^/@]*)@)?(\[[^\]/@]*\]|[^:/@]*)(?::(\d{1,5}))?(\/[^?#]+)$/i.exec(text) ?? [];
  const user = login ?? USUAL_USER;
  if (user.includes(':')) return { found: 'an address with a password', expected: 'a key in ssh.keyFile' };
  const host = parseEgressHost(written);
  const port = digits === undefined ? DEFAULT_PORTS.ssh : Number(digits);
  if (host === undefined || !isUser(user) || !isPort(port) || path.startsWith('/-'))
    return faulty('an address of ssh that cannot be read');
  return { scheme: 'ssh', host: host.text, port, address: `ssh://${user}@${writeHost(host)}:${port}${path}` };
}

/** Parses the form `user@host:path`, which git hosts show. */
function parseShort(text: string): Repository | RepositoryFault {
  const [, login, written = '', path = ''] = /^(?:([^@/:]*)@)?([^@/:[\]]+):([^?#]+)$/.exec(text) ?? [];
  const host = written === '' ? undefined : parseEgressHost(written);
  if (host === undefined) return faulty('a local path or something else');
  const user = login ?? USUAL_USER;
  // One letter and a colon begin a Windows path.
  if (!isUser(user) || /^[-:]/.test(path) || (login === undefined && host.text.length === 1))
    return faulty('an address of ssh that cannot be read');
  return {
    scheme: 'ssh',
    host: host.text,
    port: DEFAULT_PORTS.ssh,
    address: `${user}@${writeHost(host)}:${path}`,
  };
}

function isUser(text: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,63}$/.test(text);
}

function faulty(found: string): RepositoryFault {
  return { found, expected: ADDRESSES };
}
