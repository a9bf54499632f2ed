import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { ask, openSession, stdioServer } from './support/mini-servers.ts';
import { useWorkloadBench } from './support/workload-bench.ts';

describe('superviseWorkload with ignore rules', function () {
  this.timeout(180_000);
  const bench = useWorkloadBench();
  let project: string;
  before(async () => {
    project = await mkdtemp(path.join(tmpdir(), 'portolan-project-'));
    await mkdir(path.join(project, 'keys'));
    for (const [file, text] of Object.entries({
      '.portolanignore': '.env\nkeys/\n',
      '.env': 'A=1',
      app: '1',
    })) {
      await writeFile(path.join(project, file), text);
    }
  });
  after(async () => {
    await rm(project, { recursive: true });
  });

  for (const { asked, notes } of [
    { asked: true, notes: ['hidden: /data/.env (file)', 'hidden: /data/keys (tmpfs)'] },
    { asked: false, notes: [] },
  ]) {
    it(`reports ${asked ? 'hidden paths when the setting requests them' : 'no hidden paths by default'}`, async () => {
      const config = await bench.config({
        ...stdioServer(),
        permission_profile: { read: [`${project}:/data`], network: { outbound: {} } },
        ignore_config: { LoadGlobal: false, PrintOverlays: asked },
      });
      const workload = await bench.supervise(config);
      await workload.ready;
      const shown = workload.reports.flatMap((one) => (one.report === 'note' ? [one.text] : []));
      expect(shown).to.have.members(notes);
      await workload.stop();
    });
  }

  it('hides moved files from processes of later sessions too', async () => {
    const moved = await mkdtemp(path.join(project, 'moved-'));
    await mkdir(path.join(moved, 'old'));
    const files = { '.portolanignore': '*.pem\n.env\n', '.env': 'A=1', 'old/key.pem': 'k' };
    for (const [file, text] of Object.entries(files)) await writeFile(path.join(moved, file), text);
    const config = await bench.config({
      ...stdioServer(ENDS_WHEN_IT_SEES),
      permission_profile: { read: [`${moved}:/data`], network: { outbound: {} } },
      ignore_config: { LoadGlobal: false, PrintOverlays: false },
    });
    const workload = await bench.supervise(config);
    const { url } = await workload.ready;
    await rename(path.join(moved, 'old'), path.join(moved, 'new'));
    await rm(path.join(moved, '.env'));
    // The first two are served by existing processes.
    for (let session = 1; session <= 4; session += 1)
      expect(await ask(url, 'tools/list', {}, await openSession(url))).to.deep.equal({ tools: [] });
    await workload.stop();
    expect((await readdir(moved, { recursive: true })).toSorted()).to.deep.equal([
      '.portolanignore',
      'new',
      path.join('new', 'key.pem'),
    ]);
  });
});

const ENDS_WHEN_IT_SEES = `
const fs = require('fs');
for (const file of fs.readdirSync('/data', { recursive: true }))
  if (/pem$|env$/.test(file) && fs.readFileSync('/data/' + file).length > 0) process.exit(7);
`;
