import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isPortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import { ask, openSession, stdioServer } from './support/mini-servers.ts';
import { useWorkloadBench } from './support/workload-bench.ts';

/** Program that writes a file into the mounted folder for each container. */
const LEAVES_FILE = "require('fs').writeFileSync('/data/' + require('os').hostname(), '');";

/** The workload has two spare processes, so that a few sessions need no new container. */
const MAX_SESSIONS = 6;

describe('superviseWorkload when a mounted path changes', function () {
  this.timeout(180_000);
  const bench = useWorkloadBench();
  let root: string;
  let link: string;

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-changed-'));
    link = path.join(root, 'link');
    await mkdir(path.join(root, 'share/sub'), { recursive: true });
    await mkdir(path.join(root, 'secret'));
    await symlink('share', link);
  });
  afterEach(async () => {
    await rm(root, { recursive: true });
  });

  async function failureOf(workload: { readonly ended: Promise<unknown> }): Promise<string> {
    const error = await workload.ended.catch((reason: unknown) => reason);
    if (!isPortolanError(error)) throw new Error(`found ${String(error)}`);
    return error.code;
  }

  it('refuses to start containers of later sessions, and the next start', async () => {
    const config = await bench.config({
      ...stdioServer(LEAVES_FILE),
      permission_profile: { write: [`${link}:/data`], network: { outbound: {} } },
    });
    const workload = await bench.supervise(config);
    const { url } = await workload.ready;
    expect(await ask(url, 'tools/list', {}, await openSession(url))).to.deep.equal({ tools: [] });
    await rm(link);
    await symlink('secret', link);
    const served: boolean[] = [];
    for (let session = 0; session < MAX_SESSIONS && served.at(-1) !== false; session += 1)
      served.push(await isServed(url));
    expect(served.at(-1), 'a session is refused').to.equal(false);
    await workload.stop();
    const { mountPaths } = await bench.context().store.getState(config.name);
    expect(mountPaths).to.deep.equal({ [link]: path.join(root, 'share') });
    expect(await failureOf(bench.superviseAgain(config))).to.equal('ERR_MOUNT_CHANGED');
    expect(await readdir(path.join(root, 'share'))).to.have.length.above(1);
    expect(await readdir(path.join(root, 'secret'))).to.deep.equal([]);
  });

  it('refuses a mount that the workload could replace by a symbolic link', async () => {
    const share = path.join(root, 'share');
    const config = await bench.config({
      ...stdioServer(),
      permission_profile: { write: [`${share}:/w`, `${share}/sub:/r`], network: { outbound: {} } },
    });
    expect(await failureOf(await bench.supervise(config))).to.equal('ERR_MOUNT_CHANGED');
  });

  it('keeps a server from replacing a path that is mounted over itself', async () => {
    const share = path.join(root, 'share');
    const attack =
      "try { require('fs').renameSync('/w/sub', '/w/old') } catch (e) { require('fs').writeFileSync('/w/' + e.code, '') }";
    const config = await bench.config({
      ...stdioServer(`${attack};`),
      permission_profile: { write: [`${share}:/w`, `${share}/sub:/w/sub`], network: { outbound: {} } },
    });
    const workload = await bench.supervise(config);
    await workload.ready;
    await workload.stop();
    expect(await readdir(share)).to.have.members(['EBUSY', 'sub']);
  });
});

async function isServed(url: string): Promise<boolean> {
  try {
    const session = await openSession(url);
    return JSON.stringify(await ask(url, 'tools/list', {}, session)) === '{"tools":[]}';
  } catch {
    return false; // The session was refused.
  }
}
