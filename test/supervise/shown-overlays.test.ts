import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { stdioServer } from './support/mini-servers.ts';
import { useWorkloadBench } from './support/workload-bench.ts';

describe('superviseWorkload, with ignore rules', function () {
  this.timeout(60_000);
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
    it(`shows ${asked ? 'what is hidden when that is asked for' : 'nothing of it otherwise'}`, async () => {
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
});
