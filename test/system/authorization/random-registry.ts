import fc from 'fast-check';
import type { EntryType } from '@portolan/plugin-api';
import type { OracleClaims, OracleMode } from '../../support/authorization/oracle.ts';

/** One entry of a source: a name, its versions, and the claims of all versions. */
export interface DrawnEntry {
  readonly type: EntryType;
  readonly name: string;
  readonly versions: readonly string[];
  /** Word in the title of every version, for searches. */
  readonly word: string;
  /** Claims of the entry. Only some kinds of source use them. */
  readonly claims: OracleClaims;
}

export interface DrawnSource {
  readonly claims: OracleClaims;
  readonly entries: readonly DrawnEntry[];
}

export type SourceName = (typeof SOURCE_NAMES)[number];

/** Sources by the origin of their claims: the source, each entry, or the publisher. */
export const SOURCE_NAMES = ['synced-a', 'synced-b', 'labelled-a', 'labelled-b', 'published'] as const;

export interface DrawnRegistry {
  /** Sources in order of precedence. */
  readonly sources: readonly SourceName[];
  readonly claims: OracleClaims;
  readonly publicClaims: OracleClaims | undefined;
}

export interface DrawnCaller {
  readonly mode: OracleMode;
  /** Claims of the caller, or undefined without a caller. */
  readonly claims: OracleClaims | undefined;
  readonly limit: number;
  readonly search: string;
  readonly version: string;
  /** Names to read individually. */
  readonly names: readonly (readonly [type: EntryType, name: string])[];
}

/** All random values of a case. */
export interface DrawnCase {
  readonly sources: Readonly<Record<SourceName, DrawnSource>>;
  readonly registry: DrawnRegistry;
  readonly callers: readonly DrawnCaller[];
  /** A later configuration, without a new read of the sources. */
  readonly later: {
    readonly claims: Readonly<Record<SourceName, OracleClaims>>;
    readonly registry: DrawnRegistry;
  };
}

/** Rule that makes callers with this claim superAdmins. */
export const ROOT_RULE = { root: 'yes' } as const;

const TYPES = ['server', 'skill', 'plugin'] as const satisfies readonly EntryType[];
/** Names whose byte order differs from the alphabetical order. */
const NAMES = ['acme/alpha', 'acme/beta', 'acme/beta-2', 'acme.b/alpha', 'acme-b/alpha', 'zeta/alpha'];
/** Names that only servers may have. */
const SERVER_NAMES = [...NAMES, 'acme/Beta', 'acme/beta_2', 'Acme/alpha'];
const VERSIONS = ['1.0.0', '1.9.0', '1.10.0', '2.0.0-rc.2', '2.0.0-rc.10', '2.0.0', '0.1.0'];
const WORDS = ['Notes', 'maps', 'Notes and maps', 'other'];

const text = fc.constantFrom('a', 'b', 'c');
const value = fc.oneof(
  { weight: 3, arbitrary: text },
  { weight: 2, arbitrary: fc.array(text, { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constant<string[]>([]) },
);
const key = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('org', 'team') },
  { weight: 1, arbitrary: fc.constantFrom('Org', '1', 'constructor', 'toString') },
);

/** About one resource in six has no claims. */
export const resourceClaims: fc.Arbitrary<OracleClaims> = fc.oneof(
  { weight: 1, arbitrary: fc.constant({}) },
  {
    weight: 6,
    arbitrary: fc
      .array(fc.tuple(key, value), { minLength: 1, maxLength: 2 })
      .map((pairs) => Object.fromEntries(pairs)),
  },
);

const heldValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: value },
  { weight: 3, arbitrary: fc.uniqueArray(text, { minLength: 2, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(3, true, null, { a: 'a' }, ['a', 3], [['a']], 'A') },
);
/** Most callers have values of both names that most resources use. About one in ten is a superAdmin. */
export const heldClaims: fc.Arbitrary<OracleClaims> = fc
  .tuple(
    fc.option(heldValue, { freq: 6 }),
    fc.option(heldValue, { freq: 4 }),
    fc.array(fc.tuple(key, heldValue), { maxLength: 2 }),
    fc.constantFrom(...Array.from({ length: 9 }, () => undefined), 'yes', ['no', 'yes']),
  )
  .map(([org, team, more, root]) =>
    Object.fromEntries([
      ...(org === null ? [] : [['org', org]]),
      ...(team === null ? [] : [['team', team]]),
      ...more,
      ...(root === undefined ? [] : [['root', root]]),
    ]),
  );

function entryOf(type: EntryType): fc.Arbitrary<DrawnEntry> {
  return fc.record({
    type: fc.constant(type),
    name: fc.constantFrom(...(type === 'server' ? SERVER_NAMES : NAMES)),
    versions: fc.subarray(VERSIONS, { minLength: 1, maxLength: 4 }),
    word: fc.constantFrom(...WORDS),
    claims: resourceClaims,
  });
}

function sourceOf(most: number): fc.Arbitrary<DrawnSource> {
  return fc.record({
    claims: resourceClaims,
    entries: fc.uniqueArray(
      fc.oneof(entryOf('server'), entryOf('server'), entryOf('skill'), entryOf('plugin')),
      {
        minLength: 2,
        maxLength: most,
        size: 'max',
        selector: ({ type, name }) => `${type} ${name}`,
      },
    ),
  });
}

const registry: fc.Arbitrary<DrawnRegistry> = fc.record({
  sources: fc.shuffledSubarray([...SOURCE_NAMES], { minLength: 1, maxLength: 4 }),
  claims: resourceClaims,
  // Few registries are public, because those show the same to every caller.
  publicClaims: fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: heldTexts() },
  ),
});

function heldTexts(): fc.Arbitrary<OracleClaims> {
  return fc.array(fc.tuple(key, value), { maxLength: 2 }).map((pairs) => Object.fromEntries(pairs));
}

export const accessMode: fc.Arbitrary<OracleMode> = fc.oneof(
  { weight: 8, arbitrary: fc.constant('full' as const) },
  { weight: 1, arbitrary: fc.constantFrom('auth-only' as const, 'anonymous' as const) },
);

const caller: fc.Arbitrary<DrawnCaller> = fc.record({
  mode: accessMode,
  claims: fc.option(heldClaims, { nil: undefined, freq: 8 }),
  limit: fc.integer({ min: 1, max: 7 }),
  search: fc.constantFrom('notes', 'NOTES', 'map', 'acme', 'beta', '_2', 'zzz', ' and '),
  version: fc.constantFrom(...VERSIONS),
  names: fc.array(fc.tuple(fc.constantFrom(...TYPES), fc.constantFrom(...NAMES)), {
    minLength: 2,
    maxLength: 3,
  }),
});

function eachSource<T>(of: (name: SourceName) => fc.Arbitrary<T>): fc.Arbitrary<Record<SourceName, T>> {
  return fc.record({
    'synced-a': of('synced-a'),
    'synced-b': of('synced-b'),
    'labelled-a': of('labelled-a'),
    'labelled-b': of('labelled-b'),
    published: of('published'),
  });
}

/** Draws a registry with its content, its readers, and the changes between reads. */
export const drawnCase: fc.Arbitrary<DrawnCase> = fc.record({
  sources: eachSource((name) => sourceOf(name === 'published' ? 5 : 12)),
  registry,
  callers: fc.array(caller, { minLength: 1, maxLength: 3 }),
  later: fc.record({ claims: eachSource(() => resourceClaims), registry }),
});
