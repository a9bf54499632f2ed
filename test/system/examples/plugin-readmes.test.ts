import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { runPortolan } from '../../support/command-line.ts';
import { completeConfiguration, variablesOf } from '../../support/complete-configuration.ts';
import { problemsOfThisMachine } from '../../support/problems-of-this-machine.ts';

const PLUGINS = path.resolve(import.meta.dirname, '../../../plugins');
const CONFIG = 'portolan.config.yaml';

/**
 * The `yaml` blocks in the READMEs of all plugins: each is a configuration or its top-level part. Policy
 * files are `yml`.
 */
async function readConfigurations(): Promise<readonly { file: string; text: string }[]> {
  const found: { file: string; text: string }[] = [];
  for (const name of (await readdir(PLUGINS)).toSorted()) {
    const readme = await readFile(path.join(PLUGINS, name, 'README.md'), 'utf8');
    for (const [, text = ''] of readme.matchAll(/^```yaml\n(.*?)^```$/gms)) {
      found.push({ file: `plugins/${name}/README.md`, text });
    }
  }
  return found;
}

const configurations = await readConfigurations();

describe('configurations in READMEs of plugins', function () {
  this.timeout(180_000); // The cases start the command line.

  let cwd: string;
  beforeEach(async () => {
    cwd = await mkdtemp(path.join(tmpdir(), 'portolan-readme-'));
  });
  afterEach(() => rm(cwd, { recursive: true }));

  for (const { file, text } of configurations) {
    it(`${file} › shows a valid configuration`, async () => {
      await writeFile(path.join(cwd, CONFIG), completeConfiguration(text));
      const options = { cwd, env: variablesOf(text) };
      const { status, stderr } = await runPortolan(['config', 'check', '--config', CONFIG], options);
      expect(problemsOfThisMachine(stderr)).to.deep.equal([]);
      expect(status).to.equal(stderr === '' ? 0 : 2);
    });
  }
});
