import { parseAddressRange } from '@portolan/outbound';
import { addressesCollide, type ListenAddress, parseListenAddress } from '../../config/listen-address.ts';
import { isPlainMap } from '../../config/plain-data.ts';
import { describeValue } from '../../faults/describe-value.ts';
import { durationMs } from './duration-ms.ts';
import type { Report } from './rule.ts';

/** Checks the server's settings, and that its two listen addresses differ. */
export function checkServer({ server }: Readonly<Record<string, unknown>>, report: Report): void {
  if (!isPlainMap(server)) return;
  const outside = checkAddress(server, 'address', report);
  const inside =
    server['internalAddress'] === 'off' ? undefined : checkAddress(server, 'internalAddress', report);
  if (outside !== undefined && inside !== undefined && addressesCollide(outside, inside)) {
    const actual = `${describeValue(server['internalAddress'])}, where server.address listens`;
    report(['server', 'internalAddress'], actual, 'another port, or "off"');
  }
  const { publicUrl } = server;
  if (
    typeof publicUrl === 'string' &&
    URL.canParse(publicUrl) &&
    !/^https?:$/.test(new URL(publicUrl).protocol)
  ) {
    report(
      ['server', 'publicUrl'],
      describeValue(publicUrl),
      'an address that begins with https:// or http://',
    );
  }
  checkTimeouts(server, report);
  checkOrigins(server['cors'], report);
  checkProxies(server['trustedProxies'], report);
}

function checkProxies(proxies: unknown, report: Report): void {
  for (const [index, proxy] of (Array.isArray(proxies) ? proxies : []).entries()) {
    if (typeof proxy !== 'string' || proxy === '' || isAddressOrRange(proxy)) continue;
    const expected = 'an address such as 10.1.2.3, or a range such as 10.0.0.0/8';
    report(['server', 'trustedProxies', index], describeValue(proxy), expected);
  }
}

function isAddressOrRange(text: string): boolean {
  return !/[%[]/.test(text) && parseAddressRange(text) !== undefined;
}

function checkAddress(
  server: Readonly<Record<string, unknown>>,
  key: string,
  report: Report,
): ListenAddress | undefined {
  const text = server[key];
  if (typeof text !== 'string') return undefined;
  const address = parseListenAddress(text);
  if (address === undefined) {
    const off = key === 'internalAddress' ? ', or "off"' : '';
    report(['server', key], describeValue(text), `HOST:PORT, such as 127.0.0.1:8080${off}`);
  }
  return address;
}

/** Maximum milliseconds of a timeout; a longer timer would fire at once. */
const MAX_TIMEOUT_MS = 24 * 3_600_000;

function checkTimeouts(server: Readonly<Record<string, unknown>>, report: Report): void {
  for (const [key, least] of [
    ['requestTimeout', 1],
    ['shutdownTimeout', 0],
  ] as const) {
    const text = server[key];
    const ms = typeof text === 'string' ? durationMs(text) : undefined;
    if (ms === undefined || ms < 0 || (ms >= least && ms <= MAX_TIMEOUT_MS)) continue;
    report(['server', key], describeValue(text), `a duration from ${least === 0 ? '0' : '1ms'} to 24h`);
  }
}

function checkOrigins(cors: unknown, report: Report): void {
  const origins = isPlainMap(cors) ? cors['allowedOrigins'] : undefined;
  for (const [index, origin] of (Array.isArray(origins) ? origins : []).entries()) {
    if (typeof origin !== 'string' || origin === '*' || isOrigin(origin)) continue;
    const place = ['server', 'cors', 'allowedOrigins', index];
    report(place, describeValue(origin), 'an origin such as https://app.acme.example, or "*"');
  }
}

function isOrigin(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/\s?#@]+$/i.test(text) && URL.canParse(text);
}
