import { expect } from 'chai';
import { askInitialize } from './support/ask-server.ts';
import { BuildStage } from './support/build-stage.ts';
import { IS_SOAK } from '../../support/soak.ts';
import { openFetch } from '@portolan/outbound';
import { createTestContext } from '@portolan/plugin-testing';
import { goScheme } from '../../../plugins/scheme-go/src/index.ts';
import { npxScheme } from '../../../plugins/scheme-npx/src/index.ts';
import { uvxScheme } from '../../../plugins/scheme-uvx/src/index.ts';
import { skipTest } from '../../support/skip-suite.ts';

const CASES = [
  {
    scheme: npxScheme,
    text: '@modelcontextprotocol/server-filesystem',
    image: 'node',
    command: ['/tmp'],
    answers: /filesystem/,
  },
  {
    scheme: uvxScheme,
    text: 'mcp-server-time',
    image: 'python',
    command: ['--local-timezone', 'UTC'],
    answers: /time/,
  },
] as const;

/** Cases that take a further minute of CPU time. */
const MORE = [
  {
    scheme: npxScheme,
    text: '@modelcontextprotocol/server-memory',
    image: 'node',
    command: [],
    answers: /memory/,
  },
  {
    scheme: goScheme,
    text: 'github.com/modelcontextprotocol/go-sdk/examples/server/hello',
    image: 'go',
    command: [],
    answers: /./,
  },
] as const;

/**
 * Real servers of the public indexes. Skipped with the reason if an index is unreachable. The acceptance
 * suite builds and runs server-everything.
 */
describe('package builds of public packages', function () {
  this.timeout(300_000);
  const stage = new BuildStage();
  before(async function () {
    await stage.open(this, IS_SOAK ? ['node', 'python', 'go'] : ['node', 'python']);
  });
  after(async () => {
    await stage.close();
  });

  for (const { scheme, text, image, command, answers } of IS_SOAK ? [...CASES, ...MORE] : CASES) {
    it(`builds ${scheme.kind}://${text} into a working server`, async function () {
      const kinds = {
        ...stage.context().kinds,
        openScheme: async () => scheme.create({}, createTestContext({ openFetch })),
      };
      const usual = stage.context();
      // The test uses the machine's own connection to the public index, without a test proxy.
      const environment = { ...process.env, XDG_RUNTIME_DIR: stage.home };
      const context = { ...usual, environment, kinds };
      const request = stage.request(`${scheme.kind}://${text}`, image, { caCert: undefined });
      const obstacle = await findObstacle(context, request);
      if (obstacle !== undefined) skipTest(this, obstacle);
      const built = await stage.provide(request, context);
      const { runtime, labels } = stage.engine;
      const container = { name: stage.engine.name(), image: built.reference, labels, command };
      expect((await askInitialize(runtime, container)).serverInfo.name).to.match(answers);
    });
  }
});

/** Returns the reason why the index is unreachable. */
async function findObstacle(
  context: ReturnType<BuildStage['context']>,
  request: ReturnType<BuildStage['request']>,
): Promise<string | undefined> {
  const { environment, home, workingDirectory } = context;
  const { reference } = request;
  if (reference.from !== 'index') return undefined;
  const scheme = await context.kinds.openScheme(request.scheme);
  const signal = AbortSignal.timeout(20_000);
  try {
    await scheme.resolveVersion(reference, { environment, home, workingDirectory, signal });
    return undefined;
  } catch (error) {
    return `its index is not reached: ${error instanceof Error ? error.message : String(error)}`;
  }
}
