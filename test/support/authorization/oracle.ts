/**
 * Reference implementation of the authorization document, as plain as possible: it shares no code with the
 * server and has no cache, class or SQL. Tests compare the server with it. Where the two differ, the document
 * decides.
 *
 * Section numbers are those of the authorization document ("document"). Lists of strings as claim values of a
 * resource are an extension. It does not change the rules for plain strings.
 */

/** The three access modes (document, section 1). */
export type OracleMode = 'full' | 'auth-only' | 'anonymous';

export const ORACLE_ROLES = ['superAdmin', 'manageSources', 'manageRegistries', 'manageEntries'] as const;
export type OracleRole = (typeof ORACLE_ROLES)[number];

/** Any JSON value at the place of a claims object. */
export type OracleClaims = Readonly<Record<string, unknown>>;

/** Caller. Functions take `undefined` for a caller without a credential. */
export interface OracleCaller {
  readonly claims: OracleClaims;
  readonly roles: readonly string[];
}

/** A stored version, with the claims of its entry. */
export interface OracleVersion {
  readonly type: string;
  readonly name: string;
  readonly version: string;
  /** Name, title and description, in which a search looks. */
  readonly texts: readonly string[];
  readonly claims: OracleClaims;
}

/** A source with every version of its entries. */
export interface OracleSource {
  readonly name: string;
  readonly versions: readonly OracleVersion[];
}

/** A registry with its sources in order of precedence. */
export interface OracleRegistry {
  readonly claims: OracleClaims;
  /** Claims of a public registry: those of a reader without a token. */
  readonly publicClaims?: OracleClaims | undefined;
  readonly sources: readonly OracleSource[];
}

/** Row of a response: a version and its source. */
export interface OracleRow {
  readonly source: string;
  readonly version: OracleVersion;
}

export interface OracleQuery {
  readonly type: string;
  readonly search?: string;
  /** `latest` or an exact version. Without it, all versions match. */
  readonly version?: string;
}

/* ---- section 2, "Rules of evaluation": one key ---- */

/** Returns the strings that a token has under a key. Other types count as absent. */
function heldStrings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return [];
  return value.filter((element) => typeof element === 'string');
}

/**
 * Returns the strings that a resource requires. Returns undefined for a value that is not allowed in a
 * resource.
 */
function requiredStrings(value: unknown): string[] | undefined {
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return undefined;
  return value.every((element) => typeof element === 'string') ? value : undefined;
}

/** Returns the own pairs of a JSON object, including `__proto__` and `constructor`. */
function pairs(claims: OracleClaims): [string, unknown][] {
  return Object.entries(claims);
}

function find(claims: OracleClaims, key: string): { value: unknown } | undefined {
  for (const [candidate, value] of pairs(claims)) if (candidate === key) return { value };
  return undefined;
}

type KeyRule = (values: readonly string[], required: readonly string[]) => boolean;

/** Returns true if the caller has at least one value, as reads require. */
const anyOf: KeyRule = (values, required) => required.some((value) => values.includes(value));
/** Returns true if the caller has all values, as writes require: callers give only what they have. */
const allOf: KeyRule = (values, required) => required.every((value) => values.includes(value));

/** Returns true if the caller has every key of the resource (section 2, rule 3). */
function contains(caller: OracleClaims, resource: OracleClaims, rule: KeyRule): boolean {
  for (const [key, value] of pairs(resource)) {
    const required = requiredStrings(value);
    if (required === undefined) return false;
    const claim = find(caller, key);
    if (claim === undefined) return false;
    if (required.length === 0) continue;
    if (!rule(heldStrings(claim.value), required)) return false;
  }
  return true;
}

/* ---- section 2, rule 1 and 2: roles ---- */

/** Returns true if one claim map of a role matches: it has at least one pair, and all match. */
export function ruleMatches(claims: OracleClaims, rule: OracleClaims): boolean {
  const expected = pairs(rule);
  if (expected.length === 0) return false;
  return expected.every(([key, value]) => {
    const claim = find(claims, key);
    return claim !== undefined && anyOf(heldStrings(claim.value), heldStrings(value));
  });
}

/**
 * Returns the roles of an authenticated caller: those with at least one matching map. Without `authz`,
 * returns every role.
 */
export function resolveRoles(
  mode: OracleMode,
  claims: OracleClaims,
  roles: Readonly<Record<string, readonly OracleClaims[]>>,
): OracleRole[] {
  if (mode !== 'full') return [...ORACLE_ROLES];
  return ORACLE_ROLES.filter((role) => (roles[role] ?? []).some((rule) => ruleMatches(claims, rule)));
}

/** Returns true if the role check passes. The role superAdmin passes every check (section 2, "Roles"). */
export function roleCheckPasses(mode: OracleMode, caller: OracleCaller | undefined, role: string): boolean {
  if (mode === 'anonymous') return true;
  if (caller === undefined) return false;
  if (mode === 'auth-only') return true;
  return caller.roles.includes('superAdmin') || caller.roles.includes(role);
}

/* ---- section 1 (three layers), section 2 rule 4 (default-deny) and section 5 ---- */

function claimCheckPasses(
  mode: OracleMode,
  caller: OracleCaller | undefined,
  resource: OracleClaims,
  rule: KeyRule,
): boolean {
  if (mode === 'anonymous') return true;
  if (caller === undefined) return false;
  if (mode === 'auth-only') return true;
  if (caller.roles.includes('superAdmin')) return true;
  if (pairs(resource).length === 0) return false;
  return contains(caller.claims, resource, rule);
}

/** Returns true if the claims of a caller allow reads and changes of a source, registry or entry. */
export function maySee(mode: OracleMode, caller: OracleCaller | undefined, resource: OracleClaims): boolean {
  return claimCheckPasses(mode, caller, resource, anyOf);
}

/** Returns true if a caller may give these claims to a source, registry or entry (section 5, 3 to 5). */
export function mayGive(mode: OracleMode, caller: OracleCaller | undefined, claims: OracleClaims): boolean {
  // Only a superAdmin sets an empty list, which the document does not say. Auth-only mode has no superAdmin.
  const hasEmptyList = pairs(claims).some(([, value]) => Array.isArray(value) && value.length === 0);
  const isSuperAdmin = mode === 'full' && caller?.roles.includes('superAdmin') === true;
  if (mode !== 'anonymous' && hasEmptyList && !isSuperAdmin) return false;
  return claimCheckPasses(mode, caller, claims, allOf);
}

/**
 * Returns true if the claims are equal under the rule for later versions (section 5, 4.3). Order and
 * repetition do not matter.
 */
export function sameClaims(one: OracleClaims, other: OracleClaims): boolean {
  return (
    contains(one, other, allOf) && contains(other, one, allOf) && pairs(one).length === pairs(other).length
  );
}

/**
 * Returns true if a caller may read a registry. A public registry (an extension of the document) is readable
 * without a token, so every caller may read it.
 */
export function registryGatePasses(
  mode: OracleMode,
  caller: OracleCaller | undefined,
  registry: Pick<OracleRegistry, 'claims' | 'publicClaims'>,
): boolean {
  return registry.publicClaims !== undefined || maySee(mode, caller, registry.claims);
}

/** Returns true if a registry shows an entry to a caller: the claims allow it, or the registry is public. */
export function entryShows(
  mode: OracleMode,
  caller: OracleCaller | undefined,
  registry: Pick<OracleRegistry, 'publicClaims'>,
  claims: OracleClaims,
): boolean {
  if (maySee(mode, caller, claims)) return true;
  if (registry.publicClaims === undefined || pairs(claims).length === 0) return false;
  return contains(registry.publicClaims, claims, anyOf);
}

/** Returns the claims of an entry (section 2, rule 5): those of a synced source, otherwise its own. */
export function entryClaims(
  sourceKind: 'git' | 'api' | 'file' | 'kubernetes' | 'managed',
  sourceClaims: OracleClaims,
  ownClaims: OracleClaims,
): OracleClaims {
  return sourceKind === 'kubernetes' || sourceKind === 'managed' ? ownClaims : sourceClaims;
}

/* ---- what a registry shows to one caller ---- */

function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one, 'utf8'), Buffer.from(other, 'utf8'));
}

/**
 * Returns the rows of one type that a caller sees, in byte order of name and version. First, entries that the
 * caller may not see are removed. Then the first remaining source of each name provides all of its versions.
 */
export function visibleRows(
  mode: OracleMode,
  caller: OracleCaller | undefined,
  registry: OracleRegistry,
  type: string,
): OracleRow[] {
  const owners = new Map<string, string>();
  const rows: OracleRow[] = [];
  for (const source of registry.sources) {
    for (const version of source.versions) {
      if (version.type !== type || !entryShows(mode, caller, registry, version.claims)) continue;
      const owner = owners.get(version.name) ?? source.name;
      owners.set(version.name, owner);
      if (owner === source.name) rows.push({ source: source.name, version });
    }
  }
  return rows.toSorted(
    (a, b) =>
      compareBytes(a.version.name, b.version.name) || compareBytes(a.version.version, b.version.version),
  );
}

/**
 * Returns the rows of a list, all pages together. Search and the choice of versions come after precedence.
 */
export function listedRows(
  mode: OracleMode,
  caller: OracleCaller | undefined,
  registry: OracleRegistry,
  query: OracleQuery,
): OracleRow[] {
  const rows = visibleRows(mode, caller, registry, query.type);
  const needle = query.search?.toLowerCase();
  return rows.filter(({ version }) => {
    const isFound = needle === undefined || version.texts.some((text) => text.toLowerCase().includes(needle));
    if (!isFound || query.version === undefined) return isFound;
    if (query.version !== 'latest') return version.version === query.version;
    const sameName = rows.filter((row) => row.version.name === version.name);
    return newestFirst(sameName)[0]?.version === version;
  });
}

/** Returns the versions of one name, highest first, or an empty list if the caller sees none. */
export function listedVersions(
  mode: OracleMode,
  caller: OracleCaller | undefined,
  registry: OracleRegistry,
  type: string,
  name: string,
): OracleRow[] {
  return newestFirst(visibleRows(mode, caller, registry, type).filter((row) => row.version.name === name));
}

/** Returns one version, or the highest for `latest`. Undefined means 404. */
export function readVersion(
  mode: OracleMode,
  caller: OracleCaller | undefined,
  registry: OracleRegistry,
  type: string,
  name: string,
  version: string,
): OracleRow | undefined {
  const rows = listedVersions(mode, caller, registry, type, name);
  return version === 'latest' ? rows[0] : rows.find((row) => row.version.version === version);
}

/**
 * Returns the number of rows of each page. All pages are full except the last. An empty list has one empty
 * page.
 */
export function pageSizes(rows: number, limit: number): number[] {
  const sizes: number[] = [];
  for (let left = rows; left > 0; left -= limit) sizes.push(Math.min(left, limit));
  return sizes.length === 0 ? [0] : sizes;
}

/* ---- precedence of versions, semver.org section 11, for `N.N.N` and `N.N.N-a.b.c` ---- */

function newestFirst(rows: readonly OracleRow[]): OracleRow[] {
  return rows.toSorted((a, b) => comparePrecedence(b.version.version, a.version.version));
}

function comparePrecedence(one: string, other: string): number {
  const [oneNumbers, onePre] = splitVersion(one);
  const [otherNumbers, otherPre] = splitVersion(other);
  for (const index of [0, 1, 2]) {
    const difference = Number(oneNumbers[index]) - Number(otherNumbers[index]);
    if (difference !== 0) return difference;
  }
  if (onePre.length === 0 || otherPre.length === 0) return otherPre.length - onePre.length;
  for (let index = 0; index < Math.min(onePre.length, otherPre.length); index += 1) {
    const difference = compareIdentifiers(onePre[index] ?? '', otherPre[index] ?? '');
    if (difference !== 0) return difference;
  }
  return onePre.length - otherPre.length;
}

function splitVersion(version: string): [numbers: string[], prerelease: string[]] {
  const dash = version.indexOf('-');
  const core = dash === -1 ? version : version.slice(0, dash);
  return [core.split('.'), dash === -1 ? [] : version.slice(dash + 1).split('.')];
}

function compareIdentifiers(one: string, other: string): number {
  const numeric = [one, other].map((text) => /^\d+$/.test(text));
  if (numeric[0] && numeric[1]) return Number(one) - Number(other);
  if (numeric[0] !== numeric[1]) return numeric[0] ? -1 : 1;
  return compareBytes(one, other);
}
