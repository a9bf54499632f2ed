import { join } from 'node:path';
import type { RuntimeEvent } from '@portolan/plugin-api';
import { createRecordingLogger, eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { openDockerRuntime } from '../src/open-docker-runtime.ts';
import { startFakeEngine } from './support/fake-engine.ts';
import { TEST_CONFIG, testSurroundings, useEngine } from './support/test-engine.ts';
import { inTemporaryFolder } from './support/temporary-folder.ts';

describe('watchEvents', function () {
  this.timeout(60_000);
  const engine = useEngine();

  it('tells what happens to containers with the labels, and nothing else', async () => {
    const controller = new AbortController();
    const labels = { ...engine.labels, colour: 'green' };
    const told: RuntimeEvent[] = [];
    const watch = (async () => {
      for await (const event of engine.runtime.watchEvents({ labels, signal: controller.signal }))
        told.push(event);
    })();
    const spec = engine.spec('process.exit(4)', { labels });
    try {
      await eventually(() => expect(told).to.have.lengthOf(1));
      await engine.runToEnd(engine.spec(''));
      await engine.runToEnd(spec);
      await eventually(() => expect(told.at(-1)?.event).to.equal('removed'));
    } finally {
      controller.abort();
      await watch;
    }
    expect(told.map(({ event }) => event)).to.deep.equal(['connected', 'started', 'exited', 'removed']);
    expect(told[2]).to.include({ exitCode: 4, name: spec.name });
    expect(told[2]).to.have.property('labels').that.includes(labels);
  });

  it('tells what happened since a moment', async () => {
    const labels = { ...engine.labels, colour: 'brown' };
    const since = new Date();
    await engine.runToEnd(engine.spec('', { labels }));
    const told: string[] = [];
    for await (const { event } of engine.runtime.watchEvents({
      labels,
      since,
      signal: new AbortController().signal,
    })) {
      told.push(event);
      if (event === 'removed') break;
    }
    expect(told).to.deep.equal(['connected', 'started', 'exited', 'removed']);
  });
});

describe('watchEvents over a connection that breaks', () => {
  it('asks again since the last event and tells none twice', () =>
    inTemporaryFolder(async (folder) => {
      const happened = (action: string, second: number): string =>
        `${JSON.stringify({
          Type: 'container',
          Action: action,
          Actor: { ID: 'abc', Attributes: { name: 'notes', exitCode: '0', colour: 'red' } },
          time: second,
          timeNano: second * 1e9,
        })}\n`;
      const sent: string[] = [happened('start', 1_800_000_000)];
      const path = join(folder, 'engine.sock');
      const asked: string[] = [];
      const fake = await startFakeEngine(path, (request, response) => {
        asked.push(new URL(request.url ?? '', 'http://engine').searchParams.get('since') ?? 'now');
        response.write(sent.join('') + '{"half":');
      });
      try {
        const runtime = await openDockerRuntime({
          config: { ...TEST_CONFIG, host: `unix://${path}` },
          logger: createRecordingLogger(),
          surroundings: { ...testSurroundings(), environment: {} },
        });
        const controller = new AbortController();
        const told: RuntimeEvent[] = [];
        const watch = (async () => {
          for await (const event of runtime.watchEvents({ labels: {}, signal: controller.signal }))
            told.push(event);
        })();
        await eventually(() => expect(told).to.have.lengthOf(2));
        sent.push(happened('die', 1_800_000_000), happened('destroy', 1_800_000_001));
        fake.cut();
        await eventually(() => expect(told).to.have.lengthOf(5));
        controller.abort();
        await watch;
        expect(told.map(({ event }) => event)).to.deep.equal([
          'connected',
          'started',
          'connected',
          'exited',
          'removed',
        ]);
        expect(told[3]).to.deep.include({ labels: { colour: 'red' }, container: 'abc' });
        expect(asked).to.deep.equal(['now', '1799999999.000000000']);
      } finally {
        await fake.close();
      }
    }));
});
