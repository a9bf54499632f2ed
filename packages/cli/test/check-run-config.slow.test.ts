import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { runAtHome } from './support/run-at-home.ts';

const BASE = { schema_version: 'v0.1.0', name: 'notes', image: 'acme/notes:1', transport: 'stdio' };
const OPEN =
  'The server is not isolated: it can connect to the internet, to the local network, and to services';

describe('portolan config check FILE', function () {
  this.timeout(180_000); // starts a process
  let home = '';

  before(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'portolan-check-'));
  });
  after(async () => {
    await rm(home, { recursive: true, force: true });
  });

  const check = async (
    document: object,
    ...words: readonly string[]
  ): Promise<Awaited<ReturnType<typeof runAtHome>>> => {
    const file = path.join(home, 'notes.json');
    await writeFile(file, JSON.stringify(document));
    return await runAtHome(home, ['config', 'check', file, ...words]);
  };

  it('warns about a run config file without network isolation, and lists what it opens', async () => {
    const open = await check({ ...BASE, isolate_network: false });
    expect([open.status, open.stderr]).to.deep.equal([0, '']);
    expect(open.stdout)
      .to.include(`warning: ${OPEN}`)
      .and.include('reaches every address, without isolation');
    const closed = await check(BASE);
    expect(closed.status).to.equal(0);
    expect(closed.stdout).to.include('has no problems').and.not.include('not isolated');
  });

  it('prints warnings, grants and refusals as JSON, and exits with status 2 for a refusal', async () => {
    const profile = { read: ['/srv/notes:/notes', '/:/host'] };
    const { status, stdout } = await check({ ...BASE, permission_profile: profile }, '--format', 'json');
    expect(status).to.equal(2);
    const { problems, warnings, grants } = JSON.parse(stdout) as Record<string, readonly unknown[]>;
    expect(problems).to.deep.equal([
      'permission_profile.read[1]: found a mount of /; it is the whole file system',
    ]);
    expect(warnings).to.deep.equal([]);
    expect(grants).to.deep.equal([
      {
        kind: 'mount',
        line: 'read /srv/notes',
        subject: '/srv/notes',
        setting: 'permission_profile.read[0]',
      },
    ]);
  });

  it('reports every problem of a file that is not a run config', async () => {
    const { status, stderr } = await check({ schema_version: 'v0.1.0', port: 'many' });
    expect(status).to.equal(2);
    expect(stderr).to.include('port:').and.include('image: found nothing to run');
  });
});
