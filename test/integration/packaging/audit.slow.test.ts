import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { auditLibraries, listDeprecated } from '../../../scripts/audit.ts';
import { listenOnLoopback } from '../../support/listen-on-loopback.ts';

const LIBRARIES = [
  { name: '@acme/lines', version: '1.5.0', packages: ['@portolan/cli', '@portolan/kernel'] },
  { name: '@acme/lines', version: '2.0.0', packages: ['@portolan/proxy'] },
  { name: 'waves', version: '1.0.0', packages: ['@portolan/cli'] },
];

const ADVISORY = {
  id: 7,
  url: 'https://advisories.acme.example/7',
  title: 'Lines without end',
  severity: 'high',
  vulnerable_versions: '<2.0.0',
};

describe('npm run audit', function () {
  this.timeout(60_000);

  let cache: string;
  let registry: Server | undefined;
  beforeEach(async () => {
    cache = await mkdtemp(path.join(tmpdir(), 'portolan-audit-cache-'));
  });
  afterEach(async () => {
    registry?.closeAllConnections();
    registry?.close();
    registry = undefined;
    await rm(cache, { recursive: true, force: true });
  });

  const audit = async (respond: RequestListener): ReturnType<typeof auditLibraries> => {
    registry = createServer(respond);
    const url = `http://127.0.0.1:${await listenOnLoopback(registry)}`;
    return await auditLibraries(LIBRARIES, {
      ...process.env,
      npm_config_registry: url,
      npm_config_cache: cache,
    });
  };

  it('names the version, the packages and the advisory of a vulnerable library', async () => {
    const result = await audit((request, response) => {
      response.setHeader('content-type', 'application/json');
      const versions = Object.fromEntries(
        ['1.5.0', '2.0.0'].map((version) => [version, { name: '@acme/lines', version }]),
      );
      const packument = { name: '@acme/lines', versions, 'dist-tags': { latest: '2.0.0' } };
      response.end(JSON.stringify(request.method === 'POST' ? { '@acme/lines': [ADVISORY] } : packument));
    });
    expect(result).to.deep.equal({
      checked: true,
      findings: [
        '@acme/lines@1.5.0 in @portolan/cli, @portolan/kernel: high: Lines without end (https://advisories.acme.example/7)',
      ],
    });
  });

  it('finds nothing when the registry has no advisory for the libraries', async () => {
    const result = await audit((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end('{}');
    });
    expect(result).to.deep.equal({ checked: true, findings: [] });
  });

  it('reports that nothing was checked when the registry has no advisories at all', async () => {
    const result = await audit((_request, response) => {
      response.writeHead(405).end();
    });
    expect(result).to.have.property('checked', false);
    expect(result)
      .to.have.property('reason')
      .that.matches(/405|audit endpoint/);
  });

  it('reports that nothing was checked when the registry is not reachable', async () => {
    const result = await audit((_request, response) => response.destroy());
    expect(result).to.have.property('checked', false);
    expect(result).to.have.property('reason').that.is.a('string').and.is.not.empty;
  });
});

describe('listDeprecated', () => {
  const waves = { name: 'waves', version: '1.0.0', packages: ['@portolan/cli'] };
  const other = { name: 'lines', version: '2.0.0', packages: ['@portolan/cli', '@portolan/proxy'] };
  const lines = { version: '2.0.0', deprecated: 'Use 3.0.0: security fixes.' };

  it('reports the note of an author about a deprecated version', () => {
    const packages = {
      'node_modules/waves': { version: '1.0.0' },
      'node_modules/waves/node_modules/lines': lines,
    };
    expect(listDeprecated([waves, other], { packages })).to.deep.equal([
      'lines@2.0.0 in @portolan/cli, @portolan/proxy: deprecated: Use 3.0.0: security fixes.',
    ]);
  });

  it('reports a library that the lock file does not have, and finds one under an alias', () => {
    const packages = { 'node_modules/swell': { name: 'waves', version: '1.0.0' } };
    expect(listDeprecated([waves, other], { packages })).to.deep.equal([
      'lines@2.0.0 in @portolan/cli, @portolan/proxy: not in package-lock.json',
    ]);
  });
});
