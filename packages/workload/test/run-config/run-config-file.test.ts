import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { createRunConfig } from '../../src/run-config/run-config.ts';
import { exportRunConfig, readRunConfigFile } from '../../src/run-config/run-config-file.ts';
import { caught } from '../support/caught.ts';
import { TemporaryFolders } from '../support/temporary-folders.ts';

const folders = new TemporaryFolders();

describe('readRunConfigFile', () => {
  afterEach(() => folders.removeAll());

  it('reads what exportRunConfig writes', async () => {
    const file = path.join(await folders.make(), 'new', 'weather.json');
    const config = createRunConfig({ image: 'nginx', name: 'weather', run_target: 'nginx' });
    await exportRunConfig(config, file);
    expect(await readRunConfigFile(file)).to.deep.equal({ config, notes: [] });
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect((await stat(path.dirname(file))).mode & 0o777).to.equal(0o750);
  });

  it('says what is wrong with a file', async () => {
    const folder = await folders.make();
    const gone = await caught(() => readRunConfigFile(path.join(folder, 'gone.json')));
    expect(gone.code).to.equal('ERR_RUN_FILE_UNREADABLE');
    await writeFile(path.join(folder, 'x.json'), 'x');
    const broken = await caught(() => readRunConfigFile(path.join(folder, 'x.json')));
    expect(broken.code).to.equal('ERR_RUN_CONFIG');
  });
});
