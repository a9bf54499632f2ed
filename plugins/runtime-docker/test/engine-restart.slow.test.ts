import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Attachment, ContainerEngine } from '@portolan/plugin-api';
import { createRecordingLogger } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { skipSuite } from '../../../test/support/skip-suite.ts';
import { createEngineClient } from '../src/engine/engine-client.ts';
import { engineConnection } from '../src/engine/engine-connection.ts';
import { openDockerRuntime } from '../src/open-docker-runtime.ts';
import { killContainer } from './support/engine-by-hand.ts';
import { SecondEngine } from './support/second-engine.ts';
import { inTemporaryFolder } from './support/temporary-folder.ts';
import { codeOf } from './support/code-of.ts';
import { NODE_IMAGE, TEST_CONFIG, testContext } from './support/test-engine.ts';

const run = promisify(execFile);
const LABELS = { 'portolan.dev/test': 'engine-restart' };
const ECHO = "process.stdin.on('data', (data) => process.stdout.write('got ' + data))";

async function open(path: string): Promise<ContainerEngine> {
  const config = { ...TEST_CONFIG, host: `unix://${path}` };
  return await openDockerRuntime({
    config,
    logger: createRecordingLogger(),
    context: testContext(),
  });
}

/** Copies the test image from the machine's engine. */
async function copyImage(path: string): Promise<void> {
  const target = {
    connection: engineConnection({ over: 'socket', path }),
    address: path,
    from: 'a test',
    podman: false,
  };
  const { path: own } = await machineSocket();
  const source = {
    connection: engineConnection({ over: 'socket', path: own }),
    address: own,
    from: 'a test',
    podman: false,
  };
  const archive = await (await createEngineClient(source)).docker.getImage(NODE_IMAGE).get();
  const answer = await (await createEngineClient(target)).docker.loadImage(archive);
  for await (const chunk of answer) expect(String(chunk)).to.not.include('"error"');
}

async function machineSocket(): Promise<{ readonly path: string }> {
  const runtime = await openDockerRuntime({
    config: TEST_CONFIG,
    logger: createRecordingLogger(),
    context: testContext(),
  });
  if ((await runtime.inspectImage(NODE_IMAGE)) === undefined) throw new Error(`no image ${NODE_IMAGE}`);
  return { path: (await runtime.describe()).address.replace('unix://', '') };
}

async function ask(attachment: Attachment, text: string): Promise<void> {
  const answer = attachment.stdout[Symbol.asyncIterator]();
  await attachment.write(Buffer.from(text));
  let got = '';
  while (!got.includes(`got ${text}`)) {
    const { done, value } = await answer.next();
    if (done) throw new Error(`found the end after "${got}"`);
    got += Buffer.from(value).toString('utf8');
  }
}

describe('engine restart while containers keep running', function () {
  this.timeout(120_000);

  before(async function () {
    if (process.getuid?.() !== 0) skipSuite(this, 'only root can start a second engine');
    await run('dockerd', ['--version']).catch(() => skipSuite(this, 'no dockerd to start a second engine'));
    await machineSocket().catch(() =>
      skipSuite(this, 'no engine with the test image; scripts/container-env.sh up'),
    );
  });

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    it(`resumes waits and attachments after ${signal}`, () =>
      inTemporaryFolder(async (folder) => {
        const engine = new SecondEngine(folder);
        const controller = new AbortController();
        try {
          await engine.start();
          await copyImage(engine.path);
          const runtime = await open(engine.path);
          const id = await runtime.createContainer({
            name: 'echo',
            image: NODE_IMAGE,
            command: ['node', '-e', ECHO],
            environment: {},
            labels: LABELS,
            network: { mode: 'none' },
            stdin: 'open',
          });
          const first = await runtime.attachContainer(id);
          await runtime.startContainer(id);
          await ask(first, 'one\n');
          let exited = false;
          const exit = runtime.waitForExit(id, controller.signal).finally(() => {
            exited = true;
          });
          await engine.stop(signal);
          await first.ended;
          expect(await codeOf(runtime.inspectContainer(id))).to.equal('ERR_RUNTIME_UNREACHABLE');
          await engine.start();
          expect((await runtime.inspectContainer(id))?.state.running).to.equal(true);
          const second = await runtime.attachContainer(id);
          await ask(second, 'two\n');
          expect(exited).to.equal(false);
          await killContainer(runtime, id);
          expect(await exit).to.include({ running: false, exitCode: 137 });
          await second.ended;
          await runtime.removeContainer(id);
        } finally {
          controller.abort();
          await engine.close();
        }
      }));
  }
});
