#!/usr/bin/env node
// Entry point of a supervisor: a process that keeps one workload running. `portolan run` and `portolan start`
// start it; users do not.
import { existsSync } from 'node:fs';
import module from 'node:module';

const source = new URL('../src/supervisor/supervisor.ts', import.meta.url);
const fromSource = process.env.PORTOLAN_DIST !== '1' && existsSync(source);

await import('./supervisor-flags.js');
module.enableCompileCache?.(); // Imported after the flags are set; see portolan.js.
if (fromSource) {
  // In a checkout, workspace packages resolve to their TypeScript source.
  module.registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: ['@portolan/source', ...context.conditions] }),
  });
}
const { supervise } = await import(fromSource ? source.href : '../dist/supervisor.js');
await supervise();
