import { expect } from 'chai';
import fc from 'fast-check';
import { isPortolanError, type ResourceClaims } from '@portolan/plugin-api';
import { type Actor, createRegistryReader } from '@portolan/registry';
import { IS_SOAK, limitMs, SEED, trials } from '../../support/soak.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { type Engine, ENGINES, POSTGRES } from '../../support/test-database.ts';
import { type Asking, asking, POLICIES } from './asking.ts';
import {
  mayGive,
  maySee,
  type OracleClaims,
  type OracleMode,
  sameClaims,
} from '../../support/authorization/oracle.ts';
import { accessMode, heldClaims, resourceClaims } from './random-registry.ts';
import { documentOf, SeededRegistry } from './seeded-registry.ts';

const { numRuns: CASES } = trials({ short: 60, long: 3000 });
const CASES_A_DATABASE = 150;

/** One write to one of two names of a managed source. */
interface DrawnWrite {
  readonly does: 'publish' | 'claims';
  readonly mode: OracleMode;
  readonly held: OracleClaims;
  readonly name: string;
  readonly version: string;
  readonly claims: OracleClaims;
}

interface StoredEntry {
  readonly claims: OracleClaims;
  readonly versions: readonly string[];
}

const NAMES = ['acme/alpha', 'acme/beta'];

/** Claims of a write are often among those of its sender. Otherwise hardly any write would be allowed. */
const write: fc.Arbitrary<DrawnWrite> = fc
  .record({
    does: fc.constantFrom('publish' as const, 'publish' as const, 'claims' as const),
    mode: accessMode,
    held: heldClaims,
    name: fc.constantFrom(...NAMES),
    version: fc.constantFrom('1.0.0', '1.1.0', '2.0.0'),
    claims: resourceClaims,
    own: fc.boolean(),
  })
  .map(({ own, ...drawn }) => {
    const { org } = drawn.held;
    const isProper =
      typeof org === 'string' || (Array.isArray(org) && org.every((one) => typeof one === 'string'));
    return own && isProper ? { ...drawn, claims: { org } } : drawn;
  });

type Answer =
  | 'done'
  | 'ERR_CLAIMS_REQUIRED'
  | 'ERR_CLAIMS_BEYOND_CALLER'
  | 'ERR_SOURCE_FORBIDDEN'
  | 'ERR_ENTRY_NOT_FOUND'
  | 'ERR_CLAIMS_DIFFER'
  | 'ERR_ENTRY_NAME_TAKEN'
  | 'ERR_VERSION_EXISTS';

interface Expected {
  readonly answer: Answer;
  /** The entry after a successful write. */
  readonly entry?: StoredEntry;
}

/**
 * Section 5, 4: claims are required, within those of the publisher, and equal for all versions of an entry.
 */
function expectedOfPublishing(
  { mode, oracle }: Asking,
  drawn: DrawnWrite,
  entry: StoredEntry | undefined,
  sourceClaims: OracleClaims,
): Expected {
  const { claims, version } = drawn;
  const isSuperAdmin = mode === 'full' && oracle?.roles.includes('superAdmin') === true;
  const isEmpty = Object.keys(claims).length === 0;
  const mayLeaveOut = mode === 'anonymous' || isSuperAdmin;
  if (isEmpty && !mayLeaveOut) return { answer: 'ERR_CLAIMS_REQUIRED' };
  if (!mayGive(mode, oracle, claims)) return { answer: 'ERR_CLAIMS_BEYOND_CALLER' };
  if (!maySee(mode, oracle, sourceClaims)) return { answer: 'ERR_SOURCE_FORBIDDEN' };
  if (entry === undefined) return { answer: 'done', entry: { claims, versions: [version] } };
  if (!maySee(mode, oracle, entry.claims)) return { answer: 'ERR_ENTRY_NAME_TAKEN' };
  // A version without claims keeps those of its entry (decision 88).
  if (!isSuperAdmin && !isEmpty && !sameClaims(claims, entry.claims)) return { answer: 'ERR_CLAIMS_DIFFER' };
  if (entry.versions.includes(version)) return { answer: 'ERR_VERSION_EXISTS' };
  const versions = [...entry.versions, version];
  return { answer: 'done', entry: { claims: isEmpty ? entry.claims : claims, versions } };
}

/** Section 5, 5: the caller needs the existing claims and the new ones. */
function expectedOfLabelling(
  { mode, oracle }: Asking,
  { claims }: DrawnWrite,
  entry: StoredEntry | undefined,
): Expected {
  if (!mayGive(mode, oracle, claims)) return { answer: 'ERR_CLAIMS_BEYOND_CALLER' };
  if (entry === undefined || !maySee(mode, oracle, entry.claims)) return { answer: 'ERR_ENTRY_NOT_FOUND' };
  return { answer: 'done', entry: { ...entry, claims } };
}

async function attempt(registry: SeededRegistry, actor: Actor, drawn: DrawnWrite): Promise<string> {
  const { admin, published } = registry;
  // SAFETY: the random claims are valid claims of resources.
  const claims = drawn.claims as ResourceClaims;
  const entry = { type: 'server', name: drawn.name } as const;
  try {
    if (drawn.does === 'claims') await admin.setEntryClaims(actor, { ...entry, source: published }, claims);
    else {
      const document = documentOf({ ...entry, word: 'notes' }, drawn.version);
      await admin.publish(actor, { type: 'server', document, claims, source: published });
    }
    return 'done';
  } catch (error) {
    if (isPortolanError(error)) return error.code;
    throw error;
  }
}

/** Returns the stored entries, read by a caller who sees everything. */
async function storedEntries(
  registry: SeededRegistry,
): Promise<Record<string, { claims: unknown; versions: string[] }>> {
  const reader = createRegistryReader(registry.store);
  const main = (await reader.catalog()).registries.get('main');
  if (main === undefined) throw new TypeError('the registry "main" is missing');
  const { rows } = await reader.list({ registry: main, visible: 'all' }, { type: 'server', limit: 100 });
  const found: Record<string, { claims: unknown; versions: string[] }> = {};
  for (const { name, version, claims } of rows) {
    const entry = (found[name] ??= { claims, versions: [] });
    expect(claims, 'all versions carry the same claims').to.deep.equal(entry.claims);
    entry.versions.push(version);
  }
  return found;
}

async function emptyManagedSource(registry: SeededRegistry, claims: OracleClaims): Promise<void> {
  const none = { claims: {}, entries: [] };
  await registry.seed({
    sources: {
      'synced-a': none,
      'synced-b': none,
      'labelled-a': none,
      'labelled-b': none,
      published: { claims, entries: [] },
    },
    registry: { sources: ['published'], claims: {}, publicClaims: undefined },
  });
}

async function compareWrites(
  registry: SeededRegistry,
  sourceClaims: OracleClaims,
  writes: readonly DrawnWrite[],
  answers: Map<string, number>,
): Promise<void> {
  await emptyManagedSource(registry, sourceClaims);
  const entries = new Map<string, StoredEntry>();
  for (const drawn of writes) {
    const who = asking({ mode: drawn.mode, claims: drawn.held });
    const entry = entries.get(drawn.name);
    const expected =
      drawn.does === 'publish'
        ? expectedOfPublishing(who, drawn, entry, sourceClaims)
        : expectedOfLabelling(who, drawn, entry);
    const answer = await attempt(registry, { policy: POLICIES[who.mode], caller: who.caller }, drawn);
    expect(answer, JSON.stringify(drawn)).to.equal(expected.answer);
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
    if (expected.entry !== undefined) entries.set(drawn.name, expected.entry);
  }
  const stored = await storedEntries(registry);
  expect(Object.keys(stored)).to.have.members([...entries.keys()]);
  for (const [name, entry] of entries) {
    expect(stored[name]?.versions).to.have.members([...entry.versions]);
    // SAFETY: the store returns objects.
    expect(sameClaims((stored[name]?.claims ?? {}) as OracleClaims, entry.claims), name).to.equal(true);
  }
}

for (const engine of ENGINES) {
  describe(`responses to writes with claims, compared with an independent implementation of the specification, on ${engine}`, () => {
    before(function () {
      if (engine === 'PostgreSQL' && POSTGRES === undefined)
        skipSuite(this, 'PORTOLAN_TEST_POSTGRES_URL names no server');
    });

    it(`are equal for ${CASES} managed sources and their publishers`, async function () {
      this.timeout(limitMs(420_000));
      const answers = new Map<string, number>();
      for (let done = 0, seed = SEED; done < CASES; done += CASES_A_DATABASE, seed += 1) {
        const numRuns = Math.min(CASES_A_DATABASE, CASES - done);
        await runCases(engine, { numRuns, seed }, answers);
      }
      if (IS_SOAK) console.log(engine, 'seeds from', SEED, answers);
      expect([...answers.keys()], 'every answer has come').to.have.members([
        'done',
        'ERR_CLAIMS_REQUIRED',
        'ERR_CLAIMS_BEYOND_CALLER',
        'ERR_SOURCE_FORBIDDEN',
        'ERR_ENTRY_NOT_FOUND',
        'ERR_CLAIMS_DIFFER',
        'ERR_ENTRY_NAME_TAKEN',
        'ERR_VERSION_EXISTS',
      ]);
    });
  });
}

async function runCases(
  engine: Engine,
  run: { readonly numRuns: number; readonly seed: number },
  answers: Map<string, number>,
): Promise<void> {
  const registry = await SeededRegistry.open(engine);
  try {
    const writes = fc.array(write, { minLength: 4, maxLength: 10, size: 'max' });
    await fc.assert(
      fc.asyncProperty(resourceClaims, writes, (claims, drawn) =>
        compareWrites(registry, claims, drawn, answers),
      ),
      run,
    );
  } finally {
    await registry.close();
  }
}
