import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { isOwnerGone, leaseOwner } from '../src/sync/schedule/lease.ts';
import { skipTest } from '../../../test/support/skip-suite.ts';

const LEASE = new URL('../src/sync/schedule/lease.ts', import.meta.url).href;
const SAY = `import(${JSON.stringify(LEASE)}).then(({ leaseOwner }) => console.log(leaseOwner()))`;
const NODE = ['--conditions=@portolan/source', '--input-type=module', '-e'];

/** Name of a process that stays until it is ended. */
async function ownerOf(before: readonly string[] = []) {
  const script = `${SAY}; process.stdin.resume()`;
  const words = [...before, process.execPath, ...NODE, script];
  const child = spawn('env', words, { stdio: ['pipe', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  while (!said.endsWith('\n')) await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  const end = async (): Promise<void> => {
    child.stdin.end();
    if (child.exitCode === null) await once(child, 'exit');
  };
  return { owner: said.trim(), end };
}

describe('process name in a lease', () => {
  const me = leaseOwner();

  it('identifies a process of this host that has ended, also one with the same process ID', async () => {
    const other = await ownerOf();
    try {
      expect(isOwnerGone(other.owner, me), 'while it runs').to.equal(false);
    } finally {
      await other.end();
    }
    expect(isOwnerGone(other.owner, me), 'when it has ended').to.equal(true);
    expect(isOwnerGone(leaseOwner(), me), 'an earlier life').to.equal(true);
    expect(isOwnerGone(me, me)).to.equal(false);
  });

  it('makes no statement about another host, or a name of an earlier version', () => {
    const [host = '', pid = ''] = me.split(':');
    for (const owner of [`other-host:${pid}:x:y`, `${host}:${pid}:x:y`, `${host}:${pid}:x`])
      expect(isOwnerGone(owner, me), owner).to.equal(false);
  });

  // Two containers may have one name of a host (its network, `hostname:`), and each has ids from 1 on.
  it('makes no statement about another container, for any name and process ID', async function () {
    const words = ['--user', '--map-root-user', '--pid', '--fork', '--mount-proc'];
    if (process.platform !== 'linux') skipTest(this, 'only on Linux');
    if (spawnSync('unshare', [...words, 'true']).status !== 0)
      skipTest(this, 'unshare is not installed, or may make no namespaces');
    const unshare = ['unshare', ...words];
    const containers = [await ownerOf(unshare), await ownerOf(unshare)];
    try {
      const [one = '', other = ''] = containers.map(({ owner }) => owner);
      expect(one.split(':').slice(0, 2)).to.deep.equal(other.split(':').slice(0, 2));
      expect(isOwnerGone(one, other)).to.equal(false);
      expect(isOwnerGone(one, me)).to.equal(false);
    } finally {
      await Promise.all(containers.map(({ end }) => end()));
    }
  });
});
