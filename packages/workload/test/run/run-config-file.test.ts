import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { createRunConfig, formatRunConfig } from '@portolan/run-spec';
import { readRunConfigFile } from '../../src/run/steps/read/run-config-file.ts';
import { caught } from '../../../../test/support/caught.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';

const folders = new TemporaryFolders();

const PATHS = { workingDirectory: '/', home: '/' };

describe('readRunConfigFile', () => {
  afterEach(() => folders.removeAll());

  it('reads the output of formatRunConfig', async () => {
    const file = path.join(await folders.make(), 'weather.json');
    const config = createRunConfig({ image: 'nginx', name: 'weather', run_target: 'nginx' });
    await writeFile(file, formatRunConfig(config));
    expect(await readRunConfigFile(file, PATHS)).to.deep.include({ config, notes: [] });
  });

  it('rejects missing and invalid files', async () => {
    const folder = await folders.make();
    const gone = await caught(() => readRunConfigFile(path.join(folder, 'gone.json'), PATHS));
    expect(gone.code).to.equal('ERR_NAMED_FILE');
    await writeFile(path.join(folder, 'x.json'), 'x');
    const broken = await caught(() => readRunConfigFile(path.join(folder, 'x.json'), PATHS));
    expect(broken.code).to.equal('ERR_RUN_CONFIG');
  });
});
