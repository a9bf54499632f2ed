// Our proxy as a program: `openProxy` without a container, in front of an HTTP server or of stdio processes,
// with the transport of workloads. `judged` adds a middleware that inspects every message and changes none.
// PORT=FILE adds the policies of a file.
// usage: own-proxy.ts PORT http|judged BACKEND-URL | own-proxy.ts PORT own|shared COMMAND ARGUMENT...
import v8 from 'node:v8';
import type { Logger, ServerBackend } from '@portolan/plugin-api';
import { openProxy } from '@portolan/proxy';
import { openChild } from './open-child.ts';

const begun = performance.now();

const [place = '', way, target = '', ...args] = process.argv.slice(2);
const [port, policies] = place.split('=');
const nothing = (): void => undefined;
const logger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

const isHttp = way === 'http' || way === 'judged';
const backend: ServerBackend = isHttp
  ? { carries: 'http', transport: 'streamable-http', target: new URL(target), isRemote: false }
  : {
      carries: 'messages',
      mode: 'streamable-http',
      sessions: way === 'shared' ? 'shared' : 'own',
      openConnection: async () => openChild(target, args),
    };
const transport = isHttp ? 'streamable-http' : 'stdio';
// Loaded on demand, as in a supervisor.
const opened =
  policies === undefined
    ? {}
    : await (await import('./policies/open-policies.ts')).openPolicies(policies, transport);
const proxy = await openProxy({
  backend,
  port: Number(port),
  instance: 'bench',
  transport,
  version: '0.0.0',
  restarts: {
    failed: nothing,
    succeeded: nothing,
    isFailing: false,
    delayMs: 0,
    pause: async () => undefined,
  },
  ...(way === 'judged'
    ? { middleware: [{ name: 'empty', placed: 'authorize', instance: { onMessage: nothing } }] }
    : opened),
  logger,
  clock: () => new Date(),
});
v8.setFlagsFromString('--semi-space-growth-factor=2'); // as in a supervisor (room-for-calls.ts)
process.stderr.write(`listening after ${(performance.now() - begun).toFixed(0)} ms\n`);
process.once('SIGTERM', () => void proxy.close().then(() => process.exit(0)));
