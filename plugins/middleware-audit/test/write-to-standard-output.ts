import { setTimeout as pass } from 'node:timers/promises';
import auditPlugin from '../src/index.ts';
import { bootTestKernel } from '@portolan/plugin-testing';
import { accessRecord } from './access-record.ts';

// Run by tests as a process of its own: COUNT [end]. Logs COUNT requests to standard output, then closes,
// or ends at once. What it has to say stands on standard error.
const [, , count = '0', end] = process.argv;
const kernel = await bootTestKernel({
  plugins: [auditPlugin],
  config: { middleware: { audit: { enabled: true } } },
  logDestination: { write: (text: string) => process.stderr.write(text) },
});
const [audit] = kernel.middleware;
for (let index = 0; index < Number(count); index += 1) {
  kernel.hooks.accessDecided(accessRecord({ requestId: `r-${index}`, userAgent: 'x'.repeat(500) }));
}
if (end === 'end') process.exit(0);
// It goes on whatever became of the lines.
for (let turns = 0; turns < 3; turns += 1) await pass(1);
await audit?.handler.close?.();
await kernel.close();
process.stderr.write('closed\n');
process.exit(0);
