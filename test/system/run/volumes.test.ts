import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { stdioServer } from '../supervise/support/mini-servers.ts';
import { WorkloadUser } from '../../support/workload-user.ts';

const IMAGE = 'portolan-test/node';
const SERVER = [
  '--image-verification=disabled',
  '--permission-profile=none',
  '--',
  ...(stdioServer().cmd_args ?? []),
];

describe('named volumes of workloads (toolhive 3121)', function () {
  this.timeout(180_000);
  let user: WorkloadUser;
  const own = { 'portolan.dev/state': '' };
  const volumes = async (): Promise<readonly string[]> => {
    const found = (await user.runtime.listVolumes?.({})) ?? [];
    return found.filter(({ name }) => name.startsWith('volumes-test-')).map(({ name }) => name);
  };
  const stamp = process.pid;
  const [first, second] = [`volumes-test-${stamp}-a`, `volumes-test-${stamp}-b`];

  before(async function () {
    user = await WorkloadUser.open(this);
  });
  afterEach(async () => {
    await user.removeLeft();
    for (const name of [first, second]) await user.runtime.removeVolume?.(name);
  });
  after(async () => await user?.close());

  it('stay with their data after rm; rm --volumes removes unused ones', async () => {
    await user.run(
      IMAGE,
      '--name=volumes-test-one',
      '-v',
      `${first}:/data`,
      '-v',
      `volume://${second}:/more:ro`,
      ...SERVER,
    );
    await user.run(IMAGE, '--name=volumes-test-two', '-v', `${second}:/data`, ...SERVER);
    expect((await volumes()).toSorted()).to.deep.equal([first, second]);
    const [made] = (await user.runtime.listVolumes?.({ 'portolan.dev/volume-of': 'volumes-test-one' })) ?? [];
    expect(Object.keys(made?.labels ?? {})).to.include.members(Object.keys(own));
    const one = await user.portolan(['rm', 'volumes-test-one', '--volumes']);
    expect(one.status, one.stderr).to.equal(0);
    expect(one.stderr).to.include(`The volume ${second} is kept: the workload volumes-test-two uses it.`);
    expect(await volumes()).to.deep.equal([second]);
    const two = await user.portolan(['rm', 'volumes-test-two']);
    expect(two.stderr).to.include(`The volume ${second} is kept with its data.`);
    expect(await volumes()).to.deep.equal([second]);
  });

  it('are refused when a folder has the name, and the error shows both spellings', async () => {
    await mkdir(path.join(user.root, first), { recursive: true });
    const { status, stderr } = await user.portolan(['plan', IMAGE, '-v', `${first}:/data`, ...SERVER]);
    expect(status).to.equal(2);
    expect(stderr).to.include(`./${first}:/data`).and.include(`volume://${first}:/data`);
    for (const spelling of [`./${first}`, `volume://${first}`]) {
      const plan = JSON.parse(
        await user.done('plan', IMAGE, '--format=json', '-v', `${spelling}:/data`, ...SERVER),
      );
      const source = spelling.startsWith('.') ? path.join(user.root, first) : spelling;
      expect(plan.mounts).to.deep.equal([{ source, target: '/data', read_only: false, author: 'user' }]);
    }
  });
});
