import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from '../../../scripts/workspace-packages.ts';
import { ExampleCopy, EXAMPLES } from '../../support/examples/example-copy.ts';
import { ADMIN_API, WITH_CLAIMS } from '../../support/examples/followed-guides.ts';
import { readSteps, type Step } from '../../support/examples/read-steps.ts';
import { takeSteps, WalkThrough } from '../../support/examples/walk-through.ts';

const EXAMPLE = 'claims-registry';

describe('guides of a registry', function () {
  this.timeout(180_000); // The cases start the command line, once for each command of a guide.

  it('show admin requests with the responses of examples/claims-registry', async () => {
    const guides = await Promise.all(ADMIN_API.map(readGuide));
    await takeSteps(await ExampleCopy.make(EXAMPLE), [...(await startOfExample()), ...guides.flat()]);
  });

  describe('in the folder of examples/claims-registry', () => {
    let copy: ExampleCopy;
    let walk: WalkThrough;
    before(async () => {
      copy = await ExampleCopy.make(EXAMPLE);
      walk = new WalkThrough(copy);
      const variables = { PORTOLAN_URL: 'http://127.0.0.1:8080', PORTOLAN_TOKEN_FILE: 'tokens/ada' };
      for (const step of await startOfExample()) await walk.take(step);
      await walk.take({ run: 'export', variables });
    });
    after(async () => {
      await walk.end().finally(() => copy.remove());
    });

    for (const page of WITH_CLAIMS) {
      it(`works as shown: ${page}`, async () => {
        for (const step of await readGuide(page)) await walk.take(step);
      });
    }
  });
});

/** Returns the steps that start the example's issuer and server, and get a token for each person. */
async function startOfExample(): Promise<readonly Step[]> {
  const steps = readSteps(await readFile(path.join(EXAMPLES, EXAMPLE, 'README.md'), 'utf8'));
  return steps.slice(
    0,
    steps.findIndex(({ run }) => run === 'curl'),
  );
}

async function readGuide(page: string): Promise<readonly Step[]> {
  return readSteps(await readFile(path.join(ROOT, page), 'utf8'));
}
