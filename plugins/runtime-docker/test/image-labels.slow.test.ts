import { join } from 'node:path';
import { createRecordingLogger } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { openDockerRuntime } from '../src/open-docker-runtime.ts';
import { startFakeEngine } from './support/fake-engine.ts';
import { TEST_CONFIG, testContext } from './support/test-engine.ts';
import { inTemporaryFolder } from './support/temporary-folder.ts';

const ID = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'b'.repeat(64)}`;

describe('image labels (simulated engine)', () => {
  it('are requested once per image id', () =>
    inTemporaryFolder(async (folder) => {
      const path = join(folder, 'engine.sock');
      const made: string[] = [];
      const fake = await startFakeEngine(path, (request, response) => {
        response.setHeader('Content-Type', 'application/json');
        const url = request.url ?? '';
        const isOther = url.includes(OTHER) || url.includes('moved');
        const labels = isOther ? { 'portolan.dev/b': 'true' } : { 'portolan.dev/a': 'true' };
        if (request.method === 'POST') {
          response.statusCode = 201;
          let body = '';
          request.setEncoding('utf8').on('data', (text: string) => {
            body += text;
          });
          request.on('end', () => {
            made.push(body);
            response.end(JSON.stringify({ Id: 'c1', Warnings: [] }));
          });
        } else if (url.startsWith('/images/')) {
          response.end(JSON.stringify({ Id: isOther ? OTHER : ID, Config: { Labels: labels } }));
        } else response.end('{}');
      });
      const asked = (): number => fake.requests.filter((one) => one.startsWith('GET /images/')).length;
      try {
        const runtime = await openDockerRuntime({
          config: { ...TEST_CONFIG, host: `unix://${path}` },
          logger: createRecordingLogger(),
          context: { ...testContext(), environment: {} },
        });
        const labelsOf = async (image: string): Promise<unknown> => {
          await runtime.createContainer({
            name: 'notes',
            image,
            command: [],
            environment: {},
            labels: { team: 'notes' },
          });
          const { Labels } = JSON.parse(made.at(-1) ?? '') as { readonly Labels: unknown };
          return Labels;
        };
        await runtime.inspectImage('notes:latest');
        for (let round = 0; round < 2; round += 1)
          expect(await labelsOf(ID)).to.deep.equal({ 'portolan.dev/a': '', team: 'notes' });
        expect(asked()).to.equal(1);
        // What a reference means may have changed.
        for (const [image, asks] of [
          ['notes:moved', 2],
          ['notes:moved', 3],
          [ID, 3],
          [OTHER, 3],
        ] as const) {
          const label = image === ID ? 'portolan.dev/a' : 'portolan.dev/b';
          expect(await labelsOf(image)).to.deep.equal({ [label]: '', team: 'notes' });
          expect(asked()).to.equal(asks);
        }
      } finally {
        await fake.close();
      }
    }));
});
