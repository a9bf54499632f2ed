import { createTestContext } from '@portolan/plugin-testing';
import { openProxy } from '@portolan/proxy';
import { redis } from '@portolan/session-store-redis';
import { ASKED } from './name-exchange.ts';

// Program of ProxyProcess with the arguments TARGET REDIS. Prints its address.
const [target = '', address = ''] = process.argv.slice(2);
const context = createTestContext();
const sessionStore = await redis.create(
  { prefix: 'test', timeout: '30s' },
  { ...context, address: new URL(address), password: undefined, namespace: target, ttlMs: 60_000 },
);
const { url } = await openProxy({
  backend: { carries: 'http', transport: 'streamable-http', target: new URL(target), isRemote: false },
  sessionStore,
  sessionTtlMs: 60_000,
  middleware: [{ name: 'asked', placed: 'filter', instance: ASKED }],
  instance: String(process.pid),
  transport: 'streamable-http',
  version: '0.0.0',
  logger: context.logger,
  clock: () => new Date(),
});
process.stdout.write(`${url}\n`);
