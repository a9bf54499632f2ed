import { createTestProxyContext } from '@portolan/plugin-testing';
import { proxyAudit } from '../src/index.ts';
import { clientRequest, requestEnd, requestView } from './proxy/client-request.ts';
import { DEFAULTS } from './proxy/default-settings.ts';

// Run by tests as a process of its own: FILE COUNT. Ends at once after COUNT calls, and closes nothing.
const [, , logFile = '', count = '0'] = process.argv;
const audit = await proxyAudit.create({ ...DEFAULTS, logFile }, createTestProxyContext());
const called = requestView('tools/call', { name: 'refund' });
for (let index = 0; index < Number(count); index += 1) audit.onEnd?.(requestEnd([called]), clientRequest());
process.exit();
