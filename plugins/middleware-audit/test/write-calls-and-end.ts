import { createTestProxyContext } from '@portolan/plugin-testing';
import { proxyAudit } from '../src/index.ts';
import { clientRequest, requestEnd, requestView } from './proxy/client-request.ts';

// Run by tests as a process of its own: FILE COUNT. Ends at once after COUNT calls, and closes nothing.
const [, , logFile = '', count = '0'] = process.argv;
const settings = {
  enabled: true,
  includeRequestData: false,
  includeResponseData: false,
  detectApplicationErrors: true,
  maxDataSize: 1024,
  maxDelegationDepth: 10,
  maxFileSize: 0,
  failClosed: false,
  logFile,
};
const audit = await proxyAudit.create(settings, createTestProxyContext());
const called = requestView('tools/call', { name: 'refund' });
for (let index = 0; index < Number(count); index += 1) audit.onEnd?.(requestEnd([called]), clientRequest());
process.exit();
