import { engineContract, runtimeOfEngine } from '@portolan/plugin-testing';
import { dockerRuntime } from '../src/index.ts';
import { openDockerRuntime } from '../src/open-docker-runtime.ts';
import { createNetwork } from './support/engine-by-hand.ts';
import { NODE_IMAGE, TEST_CONFIG, testContext, useEngine } from './support/test-engine.ts';

describe('the Docker runtime', () => {
  useEngine();

  engineContract({
    name: 'docker',
    kind: dockerRuntime,
    blocks: [TEST_CONFIG],
    create: async ({ logger }) =>
      runtimeOfEngine(await openDockerRuntime({ config: TEST_CONFIG, logger, context: testContext() })),
    image: NODE_IMAGE,
    makeNetwork: createNetwork,
    commands: {
      say: (text, exitCode) => [
        'node',
        '-e',
        `console.log(${JSON.stringify(text)}); process.exitCode = ${exitCode}`,
      ],
      copy: ['node', '-e', 'process.stdin.pipe(process.stdout)'],
      wait: ['node', '-e', 'setInterval(() => {}, 1000)'],
    },
  });
});
