// A virtual server as a program: members over HTTP, members as child processes, and members that never connect.
// usage: own-virtual.ts PORT MEMBERS (JSON of `MemberArgument[]`)
import v8 from 'node:v8';
import type { Logger } from '@portolan/plugin-api';
import { openProxy, PROXY_LIMITS } from '@portolan/proxy';
import { openHttpBackend } from '@portolan/proxy/http-backend';
import { MemberOutcomes, type MemberSource, openVirtualServer } from '@portolan/virtual-server';
import { openChild } from '../open-child.ts';
import type { MemberArgument } from './member-argument.ts';

const [port, members = '[]'] = process.argv.slice(2);
const nothing = (): void => undefined;
const logger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

async function sourceOf({ name, url, command, hasPrefix }: MemberArgument): Promise<MemberSource> {
  const settings = hasPrefix ? {} : { prefix: false as const };
  const common = { name, settings, isPerCaller: false, maxSessions: 100 };
  if (command !== undefined) {
    const [program = '', ...args] = command;
    return { ...common, open: async () => openChild(program, args) };
  }
  if (url === undefined) return { ...common, open: () => new Promise(nothing) };
  const outcomes = new MemberOutcomes();
  const target = {
    carries: 'http',
    transport: 'streamable-http',
    target: new URL(url),
    isRemote: false,
  } as const;
  const http = await openHttpBackend(target, {
    version: '0.0.0',
    settled: outcomes.settled,
  });
  return {
    ...common,
    open: (signal) => http.backend.openConnection(signal),
    onOutcome: outcomes.listen,
    close: () => http.close(),
  };
}

// SAFETY: only the benchmark starts this program.
const sources = await Promise.all((JSON.parse(members) as MemberArgument[]).map(sourceOf));
const clock = (): Date => new Date();
const virtual = openVirtualServer({
  name: 'bench',
  members: sources,
  search: { mode: 'off', aboveTokens: 8000, always: [] },
  version: '0.0.0',
  limits: PROXY_LIMITS,
  logger,
  clock,
});
const proxy = await openProxy({
  backend: virtual.backend,
  middleware: [virtual.middleware],
  port: Number(port),
  instance: 'bench',
  transport: 'streamable-http',
  version: '0.0.0',
  restarts: {
    failed: nothing,
    succeeded: nothing,
    isFailing: false,
    delayMs: 0,
    pause: async () => undefined,
  },
  limits: { maxProcesses: PROXY_LIMITS.maxSessions },
  logger,
  clock,
});
v8.setFlagsFromString('--semi-space-growth-factor=2'); // as in a supervisor (room-for-calls.ts)
process.once(
  'SIGTERM',
  () =>
    void proxy
      .close()
      .then(() => virtual.close())
      .then(() => process.exit(0)),
);
