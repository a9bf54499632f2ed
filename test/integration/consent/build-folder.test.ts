import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createRunConfig } from '@portolan/run-spec';
import { expect } from 'chai';
import { demandsOfFile } from '../../../packages/workload/src/consent/demands-of-run.ts';
import { testWorkloadContext } from '../../../packages/workload/test/support/test-workload-context.ts';
import { findModuleFolder } from '../../../plugins/scheme-go/src/plan-go-image.ts';
import { TemporaryFolders } from '../../support/temporary-folders.ts';

describe('the consent question for a build of a folder', () => {
  const folders = new TemporaryFolders();
  after(() => folders.removeAll());

  for (const module of ['gm/inner/deep', 'gm/inner', 'gm']) {
    it(`names the folder that the build packs when the module is in ${module}`, async () => {
      const root = await folders.make();
      const named = path.join(root, 'gm/inner/deep');
      // A folder with that name is not a module.
      await mkdir(path.join(named, module === 'gm' ? 'go.mod' : 'more'), { recursive: true });
      await writeFile(path.join(root, module, 'go.mod'), 'module acme.example/gm\n');
      const config = createRunConfig({ run_target: `go://${named}`, isolate_network: true });
      const context = testWorkloadContext(path.join(root, 'user'));
      const { grants } = await demandsOfFile(config, 'gm', context, new AbortController().signal);
      const { root: packed } = await findModuleFolder(named, root);
      expect([packed, grants.map(({ line }) => line)]).to.deep.equal([
        path.join(root, module),
        [`builds ${packed}`],
      ]);
    });
  }
});
