import type { LogLine } from '@portolan/plugin-api';
import { expect } from 'chai';
import type { ContractCase } from './contract-case.ts';
import { rejectionOf } from './helpful-error.ts';
import type { EngineUnderTest } from './engine-under-test.ts';
import type { UseEngine } from './use-engine.ts';

/** What runtimes promise of containers. */
export function containerCases({ commands }: EngineUnderTest, use: UseEngine): readonly ContractCase[] {
  return [
    {
      title: 'runs a container to its end, and keeps its status and its log',
      run: use(async ({ runtime, spec }) => {
        const id = await runtime.createContainer(spec(commands.say('all is well', 3)));
        expect((await runtime.inspectContainer(id))?.state).to.include({ status: 'created', running: false });
        await runtime.startContainer(id);
        expect(await runtime.waitForExit(id)).to.include({ running: false, exitCode: 3 });
        expect(await collect(runtime.readLogs(id, {}))).to.deep.equal([
          { stream: 'stdout', text: 'all is well' },
        ]);
        await runtime.removeContainer(id);
      }),
    },
    {
      title: 'makes what the spec says: name, labels, environment that the image knows nothing of',
      run: use(async ({ runtime, spec, labels }) => {
        const wanted = spec(commands.wait);
        const id = await runtime.createContainer(wanted);
        const found = await runtime.inspectContainer(wanted.name);
        expect(found).to.include({ id, name: wanted.name });
        expect(found?.labels).to.include(labels);
        expect((await runtime.listContainers(labels)).map((one) => one.id)).to.deep.equal([id]);
        expect(await runtime.listContainers({ ...labels, 'portolan.dev/other': 'x' })).to.deep.equal([]);
        await runtime.removeContainer(id);
      }),
    },
    {
      title: 'refuses a second container of one name',
      run: use(async ({ runtime, spec }) => {
        const wanted = spec(commands.wait);
        const id = await runtime.createContainer(wanted);
        const error = await rejectionOf(runtime.createContainer(wanted));
        expect(error).to.include({ code: 'ERR_CONTAINER_NAME_TAKEN' });
        await runtime.removeContainer(id);
      }),
    },
    {
      title: 'carries both ends of the standard streams, and loses nothing that was written at once',
      run: use(async ({ runtime, spec }) => {
        const id = await runtime.createContainer(spec(commands.copy, { stdin: 'once' }));
        const attachment = await runtime.attachContainer(id);
        await runtime.startContainer(id);
        await attachment.write(Buffer.from('Grüße\n'));
        attachment.endInput();
        const chunks: Uint8Array[] = [];
        for await (const chunk of attachment.stdout) chunks.push(chunk);
        expect(Buffer.concat(chunks).toString('utf8')).to.equal('Grüße\n');
        expect(await attachment.ended).to.equal(undefined);
        attachment.close();
        expect(await runtime.waitForExit(id)).to.include({ exitCode: 0 });
        await runtime.removeContainer(id);
      }),
    },
    {
      title: 'stops and removes; what is so already is no error',
      run: use(async ({ runtime, spec }) => {
        const id = await runtime.createContainer(spec(commands.wait));
        await runtime.startContainer(id);
        const exit = runtime.waitForExit(id);
        await runtime.stopContainer(id);
        expect(await exit).to.include({ running: false });
        await runtime.stopContainer(id);
        await runtime.removeContainer(id);
        await runtime.removeContainer(id);
        expect(await runtime.inspectContainer(id)).to.equal(undefined);
        expect(await runtime.waitForExit(id)).to.equal(undefined);
      }),
    },
    {
      title: 'removes a container that runs',
      run: use(async ({ runtime, spec }) => {
        const id = await runtime.createContainer(spec(commands.wait));
        await runtime.startContainer(id);
        await runtime.removeContainer(id);
        expect(await runtime.inspectContainer(id)).to.equal(undefined);
      }),
    },
    {
      title: 'stops waiting when its signal aborts, with the reason, and leaves the container as it is',
      run: use(async ({ runtime, spec }) => {
        const id = await runtime.createContainer(spec(commands.wait));
        await runtime.startContainer(id);
        const aborting = new AbortController();
        const waiting = rejectionOf(runtime.waitForExit(id, aborting.signal));
        const reason = new Error('aborted by the test');
        aborting.abort(reason);
        expect(await waiting).to.equal(reason);
        expect((await runtime.inspectContainer(id))?.state).to.include({ running: true });
        await runtime.removeContainer(id);
      }),
    },
  ];
}

async function collect(lines: AsyncIterable<LogLine>): Promise<readonly { stream: string; text: string }[]> {
  const collected: { stream: string; text: string }[] = [];
  for await (const { stream, text } of lines) collected.push({ stream, text });
  return collected;
}
