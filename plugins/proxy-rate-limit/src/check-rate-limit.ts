import { type KindProblem, parseDuration } from '@portolan/plugin-api';
import type { RateLimitConfig, RedisConfig } from './rate-limit-config.ts';

type Scope = Pick<RateLimitConfig, 'global' | 'shared' | 'perUser'>;

const MAX_MS = 366 * 24 * 3_600_000;
const REFERENCE = /^[^,\s]+,target=[^,\s]+$/;
const A_LIMIT = 'global or perUser, with maxTokens and refillPeriod';

/** Reports a missing limit, an invalid duration, or a tool listed twice. */
export function checkRateLimit(config: RateLimitConfig): readonly KindProblem[] {
  const tools = config.tools ?? [];
  const names = tools.map(({ name }) => name);
  return [
    ...(hasLimit(config) || tools.length > 0 ? [] : [problem('', 'no limit', `${A_LIMIT}, or tools`)]),
    ...scopeProblems(config, ''),
    ...(config.redis === undefined ? [] : redisProblems(config.redis)),
    ...tools.flatMap((tool, index) => {
      const place = `tools[${index}]`;
      const isTwice = names.indexOf(tool.name) !== index;
      return [
        ...(isTwice
          ? [problem(`${place}.name`, JSON.stringify(tool.name), 'a tool that is not limited above already')]
          : []),
        ...(hasLimit(tool) ? [] : [problem(place, 'no limit', A_LIMIT)]),
        ...scopeProblems(tool, place),
      ];
    }),
  ];
}

function hasLimit({ global, shared, perUser }: Scope): boolean {
  return (global ?? shared ?? perUser) !== undefined;
}

function scopeProblems(scope: Scope, place: string): readonly KindProblem[] {
  const at = (key: string): string => (place === '' ? key : `${place}.${key}`);
  const twice = scope.global !== undefined && scope.shared !== undefined;
  return [
    ...(twice
      ? [problem(at('shared'), 'both shared and global', 'only one of them: they mean the same')]
      : []),
    ...(['global', 'shared', 'perUser'] as const).flatMap((key) => {
      const bucket = scope[key];
      if (bucket === undefined) return [];
      const ms = parseDuration(bucket.refillPeriod);
      if (ms >= 1 && ms <= MAX_MS) return [];
      return [
        problem(
          at(`${key}.refillPeriod`),
          JSON.stringify(bucket.refillPeriod),
          'a duration from 1ms to 366 days, such as 1m',
        ),
      ];
    }),
  ];
}

function redisProblems({ address, password = '', timeout }: RedisConfig): readonly KindProblem[] {
  const fault = addressFault(address);
  const isReference = password === '' || REFERENCE.test(password);
  return [
    ...(fault === undefined
      ? []
      : [problem('redis.address', fault, 'redis://HOST:PORT or rediss://HOST:PORT')]),
    ...(isReference
      ? []
      : [problem('redis.password', 'a text that is no reference', 'a reference, NAME,target=TARGET')]),
    ...(parseDuration(timeout) >= 1
      ? []
      : [problem('redis.timeout', JSON.stringify(timeout), 'a duration of 1ms or more')]),
  ];
}

function addressFault(text: string): string | undefined {
  const address = URL.parse(text);
  if (address === null || !/^rediss?:$/.test(address.protocol)) return 'something other than a Redis address';
  if (address.hostname === '') return 'an address without a host';
  if (address.password !== '') return 'an address with a password, which belongs in redis.password';
  if (!/^(?:\/\d{0,4})?$/.test(address.pathname)) return 'an address whose path is not a database number';
  return address.search === '' && address.hash === '' ? undefined : 'an address with more after its path';
}

function problem(place: string, found: string, expected: string): KindProblem {
  return { place, found, expected };
}
