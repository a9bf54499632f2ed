import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ExampleCopy, EXAMPLES } from '../../support/examples/example-copy.ts';
import { readSteps } from '../../support/examples/read-steps.ts';
import { takeSteps } from '../../support/examples/walk-through.ts';
import { endWorkloads, foldersBelow } from '../../support/user-folders.ts';

describe('examples whose server runs on this host without a container', function () {
  this.timeout(120_000); // The cases start the command line, once for each command of the README.
  let root: string;
  let environment: Readonly<Record<string, string>>;

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-example-user-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    environment = { ...foldersBelow(root), PORTOLAN_SECRETS_PASSWORD: 'correct horse' };
  });
  afterEach(async () => {
    await endWorkloads(root, environment);
    await rm(root, { recursive: true, force: true });
  });

  for (const example of ['changed-tool', 'custom-proxy-middleware', 'signed-requests']) {
    it(`examples/${example} › works as its README shows`, async () => {
      const steps = readSteps(await readFile(path.join(EXAMPLES, example, 'README.md'), 'utf8'));
      await takeSteps(await ExampleCopy.make(example), steps, { environment });
    });
  }
});
