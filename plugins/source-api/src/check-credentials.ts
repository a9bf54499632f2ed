import { isLoopbackHost } from '@portolan/outbound';
import type { KindProblem } from '@portolan/plugin-api';
import type { ApiConfig } from './api-config.ts';
import { isToken } from './credentials.ts';

/** Headers that users may not configure, because the transport or this source sets them. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'authorization',
  'connection',
  'content-length',
  'expect',
  'host',
  'if-none-match',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Returns the problems of a block's credentials, without showing them. */
export function checkCredentials(config: ApiConfig): readonly KindProblem[] {
  const { auth, headers = {}, endpoint } = config;
  const hasSecrets = auth !== undefined || Object.keys(headers).length > 0;
  const problems: KindProblem[] = Object.entries(headers).flatMap(([name, value]) =>
    checkHeader(name, value),
  );
  if (auth?.token !== undefined && !isToken(auth.token)) {
    const found = 'a text with spaces or other characters that no token has';
    problems.push({ place: 'auth.token', found, expected: 'a bearer token, without `Bearer` before it' });
  }
  const issuer = auth?.clientCredentials?.issuer;
  if (issuer !== undefined) problems.push(...checkIssuer(issuer));
  if (hasSecrets && isOpenHttp(endpoint)) {
    const expected = 'an https address: credentials are sent there for everyone in between to read';
    problems.push({ place: 'endpoint', found: 'an http address', expected, isWarning: true });
  }
  return problems;
}

function checkHeader(name: string, value: string): readonly KindProblem[] {
  const place = `headers.${name}`;
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) || name.length > 100)
    return [{ place: 'headers', found: 'an invalid header name', expected: 'valid header names' }];
  if (OWN_HEADERS.has(name.toLowerCase())) {
    const expected =
      name.toLowerCase() === 'authorization' ? '`auth` for credentials' : 'none: it is set automatically';
    return [{ place, found: 'this header', expected }];
  }
  if (/^[\t\x20-\x7e]*$/.test(value)) return [];
  return [{ place, found: 'a text that a header cannot have', expected: 'one line of ASCII characters' }];
}

function checkIssuer(issuer: string): readonly KindProblem[] {
  const place = 'auth.clientCredentials.issuer';
  const expected = 'an https address; http is for the hosts localhost, 127.0.0.1 and ::1';
  const url = URL.parse(issuer);
  if (url === null) return [{ place, found: 'no absolute address', expected }];
  if (url.username !== '' || url.password !== '')
    return [{ place, found: 'an address with a user or password', expected }];
  if (url.protocol === 'https:' || (url.protocol === 'http:' && !isOpenHttp(issuer))) return [];
  return [{ place, found: `an address that begins with ${url.protocol}`, expected }];
}

function isOpenHttp(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === 'http:' && !isLoopbackHost(url.hostname);
}
