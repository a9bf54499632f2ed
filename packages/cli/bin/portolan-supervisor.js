#!/usr/bin/env node
// Started by `portolan run` and `portolan start`, never by hand: a process that keeps one
// workload running. It lives long and does little, so that its heap is kept small.
import { existsSync } from 'node:fs';
import module from 'node:module';
import v8 from 'node:v8';

const source = new URL('../src/supervisor/supervisor.ts', import.meta.url);
const fromSource = process.env.PORTOLAN_DIST !== '1' && existsSync(source);

// As in portolan.js. Not --optimize-for-size: it costs half as much CPU again for each call (decision 34).
v8.setFlagsFromString('--heap-growing-percent=50');
// V8 would soon allocate among old objects what once lived a little longer: each dead request then keeps the next one alive (decision 76).
v8.setFlagsFromString('--no-allocation-site-pretenuring');
// Cedar's parser is WebAssembly that runs once. V8 would optimize it on other threads while the container starts, which wants both processors (decision 67).
v8.setFlagsFromString('--wasm-tiering-budget=100000000');
module.enableCompileCache?.(); // after the flags, as in portolan.js
if (fromSource) {
  // In a checkout, workspace packages resolve to their TypeScript source.
  module.registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: ['@portolan/source', ...context.conditions] }),
  });
}
const { supervise } = await import(fromSource ? source.href : '../dist/supervisor.js');
await supervise();
