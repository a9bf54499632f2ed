import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { NO_USER_SETTINGS } from '@portolan/run-spec';
import { thresholdsOf, trustedRootFetcher, type TrustedRoot } from '../src/trust-root.ts';
import { caught } from '../../../test/support/caught.ts';
import { type ScriptedRegistry, startScriptedRegistry } from '../../../test/support/scripted-registry.ts';
import { TemporaryFolders } from '../../../test/support/temporary-folders.ts';

const TRUSTED_ROOT = JSON.stringify({
  mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
  tlogs: [],
  certificateAuthorities: [{ uri: 'https://fulcio.test', certChain: { certificates: [] } }],
  ctlogs: [],
  timestampAuthorities: [],
});
const HOUR_MS = 3_600_000;

interface Repository {
  readonly anchor: object;
  /** By path. */
  readonly files: Map<string, string>;
}

/** A TUF repository (specification 1.0) with one key for everything and `trusted_root.json` in it. */
function tufRepository({ target = TRUSTED_ROOT, expiresInMs = HOUR_MS } = {}): Repository {
  const key = generateKeyPairSync('ed25519');
  const keyid = 'a'.repeat(64);
  const signed = (type: string, more: object): string => {
    const expires = new Date(Date.now() + expiresInMs).toISOString().replace(/\.\d+Z/, 'Z');
    const content = { _type: type, spec_version: '1.0.31', version: 1, expires, ...more };
    const sig = sign(undefined, Buffer.from(canonical(content)), key.privateKey).toString('hex');
    return JSON.stringify({ signatures: [{ keyid, sig }], signed: content });
  };
  const hash = createHash('sha256').update(TRUSTED_ROOT).digest('hex');
  const roles = Object.fromEntries(
    ['root', 'timestamp', 'snapshot', 'targets'].map((role) => [role, { keyids: [keyid], threshold: 1 }]),
  );
  const keys = {
    [keyid]: { keytype: 'ed25519', scheme: 'ed25519', keyval: { public: rawKey(key.publicKey) } },
  };
  const root = signed('root', { consistent_snapshot: true, keys, roles });
  const meta = (name: string): object => ({ meta: { [name]: { version: 1 } } });
  const targets = { 'trusted_root.json': { length: TRUSTED_ROOT.length, hashes: { sha256: hash } } };
  return {
    anchor: JSON.parse(root) as object,
    files: new Map([
      ['/timestamp.json', signed('timestamp', meta('snapshot.json'))],
      ['/1.snapshot.json', signed('snapshot', meta('targets.json'))],
      ['/1.targets.json', signed('targets', { targets })],
      [`/targets/${hash}.trusted_root.json`, target],
    ]),
  };
}

describe('trustedRootFetcher', () => {
  const folders = new TemporaryFolders();
  let server: ScriptedRegistry | undefined;
  let folder = '';

  beforeEach(async () => {
    folder = await folders.make();
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
    // Whatever came of it, nothing of the client is left.
    expect(await readdir(path.join(folder, 'cache'))).to.deep.equal([]);
    await folders.removeAll();
  });

  async function fetchFrom({ anchor, files }: Repository, signal?: AbortSignal): Promise<TrustedRoot> {
    server = await startScriptedRegistry(({ pathname }, response) => {
      const file = files.get(pathname);
      response.writeHead(file === undefined ? 404 : 200).end(file);
    });
    const { url } = server;
    const cache = path.join(folder, 'cache');
    await mkdir(cache, { recursive: true });
    const context = { user: NO_USER_SETTINGS, openCache: async () => cache };
    const root = path.join(folder, 'root.json');
    await writeFile(root, JSON.stringify(anchor));
    const places = { mirrorOf: () => url, anchorOf: () => root };
    return await trustedRootFetcher(context, places)('tuf.test', signal);
  }

  it('fetches the trust root that the repository signs', async () => {
    const root = await fetchFrom(tufRepository());
    expect(root.certificateAuthorities[0]?.uri).to.equal('https://fulcio.test');
  });

  const refused: readonly { title: string; repository: () => Repository }[] = [
    {
      title: 'a changed trust root',
      repository: () => tufRepository({ target: TRUSTED_ROOT.replace('fulcio', 'foobar') }),
    },
    { title: 'an expired repository', repository: () => tufRepository({ expiresInMs: -HOUR_MS }) },
    {
      title: 'a repository with other keys',
      repository: () => ({ ...tufRepository(), anchor: tufRepository().anchor }),
    },
    { title: 'an empty repository', repository: () => ({ ...tufRepository(), files: new Map() }) },
  ];
  for (const { title, repository } of refused) {
    it(`rejects ${title}`, async () => {
      expect(await caught(() => fetchFrom(repository()))).to.include({ code: 'ERR_IMAGE_VERIFIER' });
    });
  }
});

describe('trustedRootFetcher for GitHub', () => {
  it('requires the first root, which is not part of the program', async () => {
    const openCache = async (): Promise<string> => '/nowhere';
    const fetchRoot = trustedRootFetcher({ openCache, user: NO_USER_SETTINGS });
    const error = await caught(() => fetchRoot('tuf-repo.github.com'));
    expect(error)
      .to.include({ code: 'ERR_IMAGE_VERIFIER' })
      .and.have.property('hint')
      .that.includes('verification.github_root');
  });
});

describe('thresholdsOf', () => {
  it('requires log entries and timestamps of the public instance, and only timestamps of GitHub', () => {
    expect(thresholdsOf('tuf-repo-cdn.sigstore.dev')).to.deep.equal({
      ctlogThreshold: 1,
      tlogThreshold: 1,
      timestampThreshold: 1,
    });
    expect(thresholdsOf('tuf-repo.github.com')).to.deep.equal({
      ctlogThreshold: 0,
      tlogThreshold: 0,
      timestampThreshold: 1,
    });
  });
});

/** Canonical JSON, as TUF signs it: sorted keys, no white space, and line breaks as they are. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'string') return `"${value.replaceAll(/(["\\])/g, '\\$1')}"`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${canonical(key)}:${canonical(member)}`).join(',')}}`;
}

/** The 32 bytes of an Ed25519 key, in hexadecimal (RFC 8410). */
function rawKey(key: KeyObject): string {
  return key.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
}
