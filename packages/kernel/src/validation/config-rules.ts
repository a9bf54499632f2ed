import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseDuration, type SourceKind } from '@portolan/plugin-api';
import type { KindTable } from '../kinds/kind-table.ts';
import { formatPlace, type Place, type PositionFinder } from '../faults/config-place.ts';
import { type ConfigProblem, configProblem } from '../faults/config-problem.ts';
import { AUDIT, SOURCE_KEYS } from '../config/core-schema.ts';
import { describeValue, oneOf } from '../faults/describe-value.ts';
import { parseHostPattern } from '../config/host-pattern.ts';
import { findSessionKeysFault } from '../config/session-keys.ts';
import { addressesCollide, type ListenAddress, parseListenAddress } from '../config/listen-address.ts';
import { nearest } from '@portolan/plugin-api';
import { isPlainMap } from '../config/plain-data.ts';

export interface RuleInput {
  /** The whole configuration; what the schemas have refused may still be in it. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly kinds: KindTable;
  /** Every name a source kind may have, also of those that are not in use. */
  readonly sourceKinds: readonly string[];
  readonly positionOf: PositionFinder;
  /** Folder that relative paths start from. */
  readonly directory: string;
}

interface SourceKindInput extends Pick<RuleInput, 'sourceKinds'> {
  readonly kinds: Pick<KindTable, 'sources'>;
}

type Report = (place: Place, found: string, expected: string, didYouMean?: string) => void;

/**
 * What a schema cannot say: one kind a source, names that are unique, references
 * that lead somewhere, settings that exclude each other. What is malformed is
 * passed over here, the schemas have reported it.
 */
export function checkConfigRules(input: RuleInput): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const report: Report = (place, found, expected, didYouMean) => {
    problems.push(
      configProblem(formatPlace(place), found, expected, { didYouMean, position: input.positionOf(place) }),
    );
  };
  checkSources(input, report);
  checkRegistries(input.config, report);
  checkDatabase(input.config, report);
  checkServer(input.config, report);
  checkAudit(input.config, report);
  checkApiSources(input.config, report);
  checkTelemetry(input.config, report);
  checkSessions(input, report);
  return problems;
}

/** The rules for one source by itself, which stands at the root. */
export function checkSourceRules(
  source: Readonly<Record<string, unknown>>,
  { kinds, sourceKinds }: SourceKindInput,
): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  checkSource(source, [], { kinds, sourceKinds }, (place, found, expected) => {
    problems.push(configProblem(formatPlace(place), found, expected));
  });
  return problems;
}

function checkSources(input: RuleInput, report: Report): void {
  const sources = itemsOf(input.config['sources']);
  checkUnique(sources, 'sources', report);
  for (const [source, index] of sources) checkSource(source, ['sources', index], input, report);
}

function checkSource(
  source: Readonly<Record<string, unknown>>,
  place: Place,
  { kinds, sourceKinds }: SourceKindInput,
  report: Report,
): void {
  const given = sourceKinds.filter((kind) => Object.hasOwn(source, kind));
  const [kind] = given;
  if (kind === undefined && hasOnlyCommonKeys(source)) {
    report(place, 'no kind', `exactly ${oneOf(sourceKinds)}`);
  } else if (given.length > 1) {
    report(place, given.join(' and '), 'exactly one kind');
  } else if (kind !== undefined) {
    checkSchedule(source, place, kind, kinds.sources.get(kind)?.kind, report);
  }
}

/** Other keys were reported as unknown; each may be the missing kind with a slip in it. */
function hasOnlyCommonKeys(source: object): boolean {
  return Object.keys(source).every((key) => (SOURCE_KEYS as readonly string[]).includes(key));
}

function checkSchedule(
  source: Readonly<Record<string, unknown>>,
  at: Place,
  kind: string,
  known: SourceKind | undefined,
  report: Report,
): void {
  const policy = source['syncPolicy'];
  const place = [...at, 'syncPolicy', 'interval'];
  if (policy === undefined && known?.claimsFrom === 'source' && !isFixed(known, source[kind])) {
    report(place, 'nothing', `a duration such as 30m: ${kind} is read again and again`);
  }
  const interval = isPlainMap(policy) ? policy['interval'] : undefined;
  if (typeof interval === 'string' && durationMs(interval) === 0) {
    report(place, describeValue(interval), 'a duration above zero');
  }
  if (source['filter'] !== undefined && known?.claimsFrom === 'publisher') {
    report([...at, 'filter'], 'a filter', `none: what is in ${kind} comes by publishing`);
  }
}

/** What a kind cannot say of a block counts as no. */
function isFixed(kind: SourceKind, block: unknown): boolean {
  if (kind.isFixed === undefined || !isPlainMap(block)) return false;
  try {
    return kind.isFixed(block);
  } catch {
    return false; // a block that is not in order, which the schema has reported
  }
}

function checkRegistries(config: Readonly<Record<string, unknown>>, report: Report): void {
  const registries = itemsOf(config['registries']);
  checkUnique(registries, 'registries', report);
  const known = new Set(
    itemsOf(config['sources']).flatMap(([{ name }]) => (typeof name === 'string' ? [name] : [])),
  );
  for (const [registry, index] of registries) {
    const named = Array.isArray(registry['sources']) ? registry['sources'] : [];
    const seen = new Set<string>();
    for (const [position, name] of named.entries()) {
      if (typeof name !== 'string') continue;
      const place = ['registries', index, 'sources', position];
      if (!known.has(name)) {
        report(place, describeValue(name), 'the name of a source', nearest(name, [...known]));
      } else if (seen.has(name)) {
        report(place, `${describeValue(name)} a second time`, 'each source once');
      }
      seen.add(name);
    }
    if (Object.hasOwn(registry, 'publicClaims') && registry['public'] !== true) {
      const expected = 'none: they count for readers without a token, so only with "public: true"';
      report(['registries', index, 'publicClaims'], 'claims', expected);
    }
  }
}

function checkUnique(items: readonly Item[], list: string, report: Report): void {
  const first = new Map<string, number>();
  for (const [{ name }, index] of items) {
    if (typeof name !== 'string') continue;
    const earlier = first.get(name);
    if (earlier === undefined) first.set(name, index);
    else
      report([list, index, 'name'], `${describeValue(name)}, as in ${list}[${earlier}]`, 'a name of its own');
  }
}

const SEPARATE_FIELDS = ['host', 'port', 'user', 'database'];

function checkDatabase({ database }: Readonly<Record<string, unknown>>, report: Report): void {
  if (!isPlainMap(database)) return;
  checkDynamicAuth(database, report);
  const given = SEPARATE_FIELDS.filter((field) => Object.hasOwn(database, field));
  if (Object.hasOwn(database, 'url')) {
    if (given.length > 0) {
      report(['database'], `url and ${given.join(', ')}`, `either url, or ${SEPARATE_FIELDS.join(', ')}`);
    }
    const { url } = database;
    if (typeof url === 'string' && !isDatabaseUrl(url)) {
      report(
        ['database', 'url'],
        'an address that is not shown',
        'sqlite:PATH, sqlite::memory: or postgres://user:password@host:port/database',
      );
    }
  } else if (given.length > 0) {
    for (const field of SEPARATE_FIELDS.filter((name) => !given.includes(name))) {
      report(
        ['database', field],
        'nothing',
        `a value, since ${given.join(', ')} ${given.length === 1 ? 'is' : 'are'} given`,
      );
    }
  }
}

/** A token stands in for the password of whoever connects, and is worth as much. */
function checkDynamicAuth(database: Readonly<Record<string, unknown>>, report: Report): void {
  const { dynamicAuth } = database;
  if (!isPlainMap(dynamicAuth) || dynamicAuth['awsRdsIam'] === undefined) return;
  const place = ['database', 'dynamicAuth'];
  for (const key of ['url', 'password', 'migrationPassword']) {
    if (Object.hasOwn(database, key))
      report(
        place,
        `dynamicAuth and ${key}`,
        key === 'url' ? 'host, port, user and database' : 'one of the two',
      );
  }
  if (!Object.hasOwn(database, 'host') && !Object.hasOwn(database, 'url'))
    report(place, 'dynamicAuth without host', 'host, port, user and database');
  if (database['sslMode'] === 'disable')
    report(['database', 'sslMode'], '"disable"', 'TLS, without which RDS takes no token');
}

function isDatabaseUrl(text: string): boolean {
  return /^sqlite:./.test(text) || (/^postgres(?:ql)?:\/\/./.test(text) && URL.canParse(text));
}

function checkServer({ server }: Readonly<Record<string, unknown>>, report: Report): void {
  if (!isPlainMap(server)) return;
  const outside = checkAddress(server, 'address', report);
  const inside =
    server['internalAddress'] === 'off' ? undefined : checkAddress(server, 'internalAddress', report);
  if (outside !== undefined && inside !== undefined && addressesCollide(outside, inside)) {
    const found = `${describeValue(server['internalAddress'])}, where server.address listens`;
    report(['server', 'internalAddress'], found, 'another port, or "off"');
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
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%') || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 6 ? 128 : 32));
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

/** A timer cannot wait for more than 24 days: it would go off at once. */
const LONGEST_TIMEOUT_MS = 24 * 3_600_000;

function checkTimeouts(server: Readonly<Record<string, unknown>>, report: Report): void {
  for (const [key, least] of [
    ['requestTimeout', 1],
    ['shutdownTimeout', 0],
  ] as const) {
    const text = server[key];
    const ms = typeof text === 'string' ? durationMs(text) : undefined;
    if (ms === undefined || ms < 0 || (ms >= least && ms <= LONGEST_TIMEOUT_MS)) continue;
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

/** Two spellings of one thing. */
function checkAudit({ audit, middleware }: Readonly<Record<string, unknown>>, report: Report): void {
  if (audit !== undefined && isPlainMap(middleware) && Object.hasOwn(middleware, AUDIT)) {
    report([AUDIT], 'audit and middleware.audit', 'one of the two: they are the same settings');
  }
}

function checkApiSources({ apiSources }: Readonly<Record<string, unknown>>, report: Report): void {
  const hosts = isPlainMap(apiSources) ? apiSources['allowedHosts'] : undefined;
  for (const [index, host] of (Array.isArray(hosts) ? hosts : []).entries()) {
    if (typeof host !== 'string' || host === '' || parseHostPattern(host) !== undefined) continue;
    const expected = 'a host such as files.acme.example, or *.acme.example; without scheme, port or path';
    report(['apiSources', 'allowedHosts', index], describeValue(host), expected);
  }
}

function checkTelemetry({ telemetry }: Readonly<Record<string, unknown>>, report: Report): void {
  const tracing = isPlainMap(telemetry) ? telemetry['tracing'] : undefined;
  if (isPlainMap(tracing) && tracing['sampling'] === 0)
    report(['telemetry', 'tracing', 'sampling'], '0', 'a share above 0; "enabled: false" traces nothing');
}

/** Pages on which people log in need an address to come back to, and keys. */
function checkSessions({ config, kinds, directory }: RuleInput, report: Report): void {
  const { pages, auth, server, sessions } = config;
  const keyFile = isPlainMap(sessions) ? sessions['keyFile'] : undefined;
  if (typeof keyFile === 'string' && keyFile !== '') {
    const fault = findSessionKeysFault(resolve(directory, keyFile));
    if (fault !== undefined) report(['sessions', 'keyFile'], fault.found, fault.expected);
  }
  for (const name of ['idle', 'lifetime']) {
    const text = isPlainMap(sessions) ? sessions[name] : undefined;
    if (typeof text === 'string' && durationMs(text) === 0)
      report(['sessions', name], describeValue(text), 'a duration above zero');
  }
  if (!isPlainMap(pages) || Object.keys(pages).length === 0 || !logsIn(auth, kinds)) return;
  const because = 'since people log in on the pages';
  if (keyFile === undefined) report(['sessions', 'keyFile'], 'nothing', `a file with keys, ${because}`);
  if (!isPlainMap(server) || server['publicUrl'] === undefined)
    report(['server', 'publicUrl'], 'nothing', `the address that browsers use, ${because}`);
}

/** What a kind cannot say of its settings counts as no: they are not in order, which the schema has reported. */
function logsIn(auth: unknown, kinds: KindTable): boolean {
  const mode = isPlainMap(auth) ? auth['mode'] : undefined;
  if (!isPlainMap(auth) || typeof mode !== 'string') return false;
  try {
    return kinds.authProviders.get(mode)?.kind.logsIn?.(structuredClone(auth[mode])) === true;
  } catch {
    return false;
  }
}

type Item = readonly [item: Readonly<Record<string, unknown>>, index: number];

function itemsOf(list: unknown): readonly Item[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown, index) => (isPlainMap(item) ? [[item, index] as const] : []));
}

/** Milliseconds; undefined for what is no duration. */
export function durationMs(text: string): number | undefined {
  try {
    return parseDuration(text);
  } catch {
    return undefined; // no duration: the schema has said so
  }
}
