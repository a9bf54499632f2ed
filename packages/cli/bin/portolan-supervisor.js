#!/usr/bin/env node
// Started by `portolan run` and `portolan start`, never by hand: a process that keeps one
// workload running. How Node.js runs it says src/supervisor/supervisor-program.ts.
import { existsSync } from 'node:fs';
import module from 'node:module';
import v8 from 'node:v8';

const source = new URL('../src/supervisor/supervisor.ts', import.meta.url);
const fromSource = process.env.PORTOLAN_DIST !== '1' && existsSync(source);

// Until it is ready (src/supervisor/room-for-calls.ts). On the command line this flag does nothing.
v8.setFlagsFromString('--semi-space-growth-factor=1');
module.enableCompileCache?.(); // after the flag, as in portolan.js
if (fromSource) {
  // In a checkout, workspace packages resolve to their TypeScript source.
  module.registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: ['@portolan/source', ...context.conditions] }),
  });
}
const { supervise } = await import(fromSource ? source.href : '../dist/supervisor.js');
await supervise();
