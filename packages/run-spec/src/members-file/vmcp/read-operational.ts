import type { JsonObject } from '@portolan/plugin-api';
import { pathOf } from '../../document/field-reader.ts';
import { type JsonMembers, ownMembers } from '../../document/json-members.ts';
import { isDuration } from '../../parse/duration.ts';
import { refuseUnknown } from '../../run-config/members/refuse-unknown.ts';
import type { RunConfig } from '../../run-config/run-config.ts';
import { checkedAs, isSet, noteKeys, refuseKeys, type VmcpReading } from './vmcp-reading.ts';

/** Settings of how the virtual server runs. */
export interface Operational {
  readonly fields: Partial<RunConfig>;
  /** Returns the timeout of calls to a backend; undefined for none. */
  readonly timeoutOf: (backend: string) => string | undefined;
  readonly named: ReadonlyMap<string, string>;
  readonly common: string | undefined;
}

const AT = 'operational';

export function readOperational(reading: VmcpReading, document: JsonMembers): Operational {
  const { fields } = reading;
  const map = fields.object(document, AT) ?? ownMembers({});
  refuseUnknown(fields, map, AT, { known: ['logLevel', 'timeouts', 'failureHandling'] });
  const level = fields.text(map, 'logLevel', AT);
  if (!['', 'debug'].includes(level)) fields.problem(pathOf(AT, 'logLevel'), level, 'debug, or nothing');
  readFailureHandling(reading, map);
  return { ...readTimeouts(reading, map), fields: level === 'debug' ? { debug: true } : {} };
}

function readTimeouts(reading: VmcpReading, map: JsonMembers): Omit<Operational, 'fields'> {
  const { fields } = reading;
  const at = pathOf(AT, 'timeouts');
  const timeouts = fields.object(map, 'timeouts', AT) ?? ownMembers({});
  refuseUnknown(fields, timeouts, at, { known: ['default', 'perWorkload'] });
  const check = (text: string, place: string): string => {
    if (text !== '' && !isDuration(text)) fields.problem(place, text, 'a duration such as 30s');
    return text;
  };
  const fallback = check(fields.text(timeouts, 'default', at), pathOf(at, 'default'));
  const place = pathOf(at, 'perWorkload');
  const own = fields.textMap(timeouts, 'perWorkload', at);
  for (const [name, text] of Object.entries(own)) check(text, pathOf(place, name));
  return {
    timeoutOf: (backend) => {
      const text = Object.hasOwn(own, backend) ? own[backend] : fallback;
      return text === '' ? undefined : text;
    },
    named: new Map(Object.keys(own).map((name) => [name, pathOf(place, name)])),
    common: fallback === '' ? undefined : pathOf(at, 'default'),
  };
}

const HEALTH = 'Portolan learns the state of a member from its calls and its connection';

const FAILURE_NOTES = {
  healthCheckInterval: HEALTH,
  unhealthyThreshold: HEALTH,
  healthCheckTimeout: HEALTH,
  statusReportingInterval: 'it concerns Kubernetes alone',
} as const;

const BREAKER =
  'the circuit breaker of each member opens after 5 failures in a row, for 1 s that doubles up to 60 s';

function readFailureHandling(reading: VmcpReading, map: JsonMembers): void {
  const { fields, notes } = reading;
  const at = pathOf(AT, 'failureHandling');
  const failures = fields.object(map, 'failureHandling', AT) ?? ownMembers({});
  refuseUnknown(fields, failures, at, {
    known: [...Object.keys(FAILURE_NOTES), 'partialFailureMode', 'circuitBreaker'],
  });
  noteKeys(reading, failures, at, FAILURE_NOTES);
  const mode = fields.text(failures, 'partialFailureMode', at);
  if (!['', 'fail', 'best_effort', 'bestEffort'].includes(mode)) {
    fields.problem(pathOf(at, 'partialFailureMode'), mode, 'fail or best_effort');
  }
  if (mode === 'fail') {
    notes.push(
      `${pathOf(at, 'partialFailureMode')} has no effect: the other members stay available without a broken one.`,
    );
  }
  const breaker = fields.object(failures, 'circuitBreaker', at) ?? ownMembers({});
  const place = pathOf(at, 'circuitBreaker');
  refuseUnknown(fields, breaker, place, { known: ['enabled', 'failureThreshold', 'timeout'] });
  if (breaker['enabled'] === false) notes.push(`${pathOf(place, 'enabled')} has no effect: ${BREAKER}.`);
  if (isSet(breaker, 'failureThreshold') && breaker['failureThreshold'] !== 5) {
    notes.push(`${pathOf(place, 'failureThreshold')} has no effect: ${BREAKER}.`);
  }
  noteKeys(reading, breaker, place, { timeout: BREAKER });
}

/** Reads telemetry, audit, session store and rate limit, which have nearly the same form in a run config. */
export function readPolicies(reading: VmcpReading, document: JsonMembers): Partial<RunConfig> {
  const { fields } = reading;
  const telemetry = fields.object(document, 'telemetry');
  const audit = fields.object(document, 'audit');
  const limits = readRateLimits(reading, document);
  return {
    ...(telemetry === undefined ? {} : { telemetry_config: { ...telemetry } }),
    ...(audit === undefined ? {} : { audit_config: { ...audit } }),
    ...(limits === undefined ? {} : { rate_limit_config: limits }),
    ...readSessionStore(reading, document),
  };
}

function readRateLimits(reading: VmcpReading, document: JsonMembers): JsonObject | undefined {
  const { fields } = reading;
  const limits = fields.object(document, 'rateLimiting');
  if (limits === undefined) return undefined;
  refuseUnknown(fields, limits, 'rateLimiting', { known: ['shared', 'perUser', 'tools'] });
  refuseKeys(reading, limits, 'rateLimiting', {
    tools:
      'its names are exposed ones: write limits of tools with MEMBER/OWN-NAME in a file of --rate-limit-config',
  });
  const parts = ['shared', 'perUser'].flatMap((key) => {
    const part = fields.object(limits, key, 'rateLimiting');
    return part === undefined ? [] : [[key, { ...part }] as const];
  });
  return Object.fromEntries(parts);
}

function readSessionStore(reading: VmcpReading, document: JsonMembers): Partial<RunConfig> {
  const { fields, notes } = reading;
  const at = 'sessionStorage';
  const map = fields.object(document, at);
  if (map === undefined) return {};
  refuseUnknown(fields, map, at, { known: ['provider', 'address', 'db', 'keyPrefix'] });
  const provider = fields.text(map, 'provider', at);
  if (provider === 'memory') return {};
  if (provider !== 'redis') {
    fields.problem(pathOf(at, 'provider'), provider, 'memory or redis');
    return {};
  }
  refuseKeys(reading, map, at, { keyPrefix: 'use a Redis database of its own' });
  const address = fields.text(map, 'address', at);
  if (address === '') fields.problem(pathOf(at, 'address'), undefined, 'HOST:PORT of Redis');
  notes.push(
    `${at}: a password of Redis is not in the file; give it by --session-store-password NAME,target=TARGET.`,
  );
  const store = `redis://${address}/${fields.integer(map, 'db', at)}`;
  return { session_store: String(checkedAs(reading, 'session_store', store, pathOf(at, 'address'))) };
}
