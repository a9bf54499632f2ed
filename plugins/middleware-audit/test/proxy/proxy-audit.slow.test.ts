import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ProxyMiddleware } from '@portolan/plugin-api';
import {
  createRecordingLogger,
  createTestProxyContext,
  eventually,
  proxyMiddlewareContract,
} from '@portolan/plugin-testing';
import { expect } from 'chai';
import { type ProxyAuditConfig, proxyAudit } from '../../src/index.ts';
import { useTemporaryFolder } from '../temporary-folder.ts';
import { listRenamedFiles } from '../../src/rotate-file.ts';
import { DEFAULTS } from './default-settings.ts';
import { clientRequest, exchange, requestEnd, requestView } from './client-request.ts';

/** A device that takes no byte, as a disk that is full. */
const FULL = '/dev/full';
const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"refund"}}';

describe('proxy middleware kind audit', () => {
  proxyMiddlewareContract({
    name: 'audit',
    kind: proxyAudit,
    blocks: [
      DEFAULTS,
      { ...DEFAULTS, component: 'c', eventTypes: ['mcp_ping', 'sse_connection'], logFile: '/dev/null' },
    ],
    create: (context) => proxyAudit.create({ ...DEFAULTS, logFile: '/dev/null' }, context),
    judged: [
      { from: 'client', text: CALL, becomes: 'passes' },
      { from: 'server', text: '{"jsonrpc":"2.0","id":1,"result":{}}', request: CALL, becomes: 'passes' },
    ],
  });

  proxyMiddlewareContract({
    name: 'audit, which is closed while nothing can be written',
    kind: proxyAudit,
    create: (context) => proxyAudit.create({ ...DEFAULTS, logFile: FULL, failClosed: true }, context),
    judged: [{ from: 'client', text: CALL, becomes: 'refused' }],
  });

  let remarks: string[];
  beforeEach(() => {
    remarks = [];
  });
  const temporaryFolder = useTemporaryFolder();
  const inFolder = (use: (folder: string) => Promise<void>): Promise<void> => use(temporaryFolder());

  async function withAudit(
    config: Partial<ProxyAuditConfig>,
    use: (audit: ProxyMiddleware, logger: ReturnType<typeof createRecordingLogger>) => Promise<void>,
  ): Promise<void> {
    const logger = createRecordingLogger();
    const remark = (text: string): void => void remarks.push(text);
    const context = createTestProxyContext({ logger, remark });
    const audit = await proxyAudit.create({ ...DEFAULTS, ...config }, context);
    try {
      await use(audit, logger);
    } finally {
      await audit.close?.();
    }
  }

  const CALLED = requestView('tools/call', { name: 'refund' });
  async function call(audit: ProxyMiddleware): Promise<void> {
    const request = clientRequest();
    await audit.onMessage?.(CALLED, exchange(request, CALLED));
    audit.onEnd?.(requestEnd([CALLED]), request);
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into every part of a line
  async function linesOf(file: string): Promise<any[]> {
    const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line));
  }

  it("appends to a file with owner permissions, by default the workload's", () =>
    inFolder(async (folder) => {
      const logFile = path.join(folder, 'calls.jsonl');
      await withAudit({ logFile }, call);
      await withAudit({ logFile, component: 'payments-mcp' }, call);
      expect((await stat(logFile)).mode & 0o777).to.equal(0o600);
      expect((await linesOf(logFile)).map(({ component }) => component)).to.deep.equal([
        'test-workload',
        'payments-mcp',
      ]);
    }));

  it("records the time of the call's end and of its line", () =>
    inFolder(async (folder) => {
      const logFile = path.join(folder, 'calls.jsonl');
      let now = new Date('2026-08-21T09:14:03.119Z');
      const audit = await proxyAudit.create(
        { ...DEFAULTS, logFile },
        createTestProxyContext({ clock: () => now }),
      );
      await call(audit);
      now = new Date('2026-08-21T09:14:03.124Z');
      await audit.close?.();
      expect((await linesOf(logFile))[0]).to.include({
        time: '2026-08-21T09:14:03.124Z',
        logged_at: '2026-08-21T09:14:03.119Z',
      });
    }));

  it('rotates a full file, and follows an external rename', () =>
    inFolder(async (folder) => {
      const logFile = path.join(folder, 'calls.jsonl');
      await withAudit({ logFile, maxFileSize: 500, maxFiles: 2 }, async (audit) => {
        for (let count = 0; count < 5; count += 1) await call(audit);
        await eventually(async () => {
          const renamed = await listRenamedFiles(logFile);
          expect(renamed).to.have.length(2);
          for (const name of renamed) expect(await linesOf(name)).not.to.deep.equal([]);
        });
      });
      const other = path.join(folder, 'other.jsonl');
      await withAudit({ logFile: other }, async (audit) => {
        await call(audit);
        await eventually(async () => expect(await linesOf(other)).to.have.length(1));
        await rename(other, `${other}.old`);
        await eventually(async () => {
          await call(audit);
          await stat(other);
        });
      });
    }));

  it('with failClosed, writes a line before each call and another with the same id after it', () =>
    inFolder(async (folder) => {
      const logFile = path.join(folder, 'calls.jsonl');
      await withAudit({ logFile, failClosed: true }, async (audit) => {
        const request = clientRequest();
        await audit.onMessage?.(CALLED, exchange(request, CALLED));
        const [begun] = await linesOf(logFile);
        expect(begun).to.include({ outcome: 'begun', type: 'mcp_tool_call' });
        audit.onEnd?.(requestEnd([CALLED]), request);
        await eventually(async () => {
          const [, ended] = await linesOf(logFile);
          expect(ended).to.include({ outcome: 'success', audit_id: begun.audit_id });
        });
        const get = clientRequest({ method: 'GET', headers: { accept: 'text/event-stream' } });
        await audit.onRequest?.(get);
        expect((await linesOf(logFile))[2]).to.include({ outcome: 'begun', type: 'sse_connection' });
      });
    }));

  it('with failClosed, refuses calls that cannot be recorded, logs it once, and passes calls that no filter selects', () =>
    withAudit({ logFile: FULL, failClosed: true, excludeEventTypes: ['mcp_ping'] }, async (audit, logger) => {
      for (let count = 0; count < 3; count += 1) {
        const error = await errorOf(() => call(audit));
        expect(error).to.include({ code: 'ERR_AUDIT_UNAVAILABLE', status: 503, expose: true });
        expect(error).to.have.nested.property('headers.Retry-After', '5');
      }
      expect(await errorOf(async () => audit.onRequest?.(clientRequest({ method: 'DELETE' })))).to.include({
        status: 503,
      });
      const ping = requestView('ping');
      await audit.onMessage?.(ping, exchange(clientRequest(), ping));
      const told = logger.lines.filter(({ message }) => message === 'the audit log cannot be written');
      expect(told).to.have.length(1);
      expect(remarks).to.deep.equal([
        'the record of calls (/dev/full) cannot be written; no call is served until it can be.',
      ]);
    }));

  it('without failClosed, passes calls while the disk is full', () =>
    withAudit({ logFile: FULL }, async (audit, logger) => {
      await call(audit);
      await eventually(() =>
        expect(logger.lines.map(({ message }) => message)).to.include('the audit log cannot be written'),
      );
      await call(audit);
    }));

  it('does not subscribe to responses when no record needs them', () =>
    withAudit({ logFile: '/dev/null', detectApplicationErrors: false }, async (audit) => {
      expect(Object.keys(audit)).not.to.include('onResponse');
    }));

  it('reports problems of its file before anything is opened', () =>
    inFolder(async (folder) => {
      const file = path.join(folder, 'file');
      await withAudit({ logFile: file }, call);
      await writeFile(path.join(folder, 'other'), 'x');
      const places = (config: Partial<ProxyAuditConfig>) =>
        proxyAudit
          .check?.({ ...DEFAULTS, ...config }, { directory: folder, trustsLoopback: false })
          .map(({ place }) => place);
      expect(places({ logFile: 'file' })).to.deep.equal([]);
      expect(places({ logFile: 'other' })).to.deep.equal(['logFile']);
      expect(places({ logFile: 'none/file' })).to.deep.equal(['logFile']);
      expect(places({ maxFileSize: 5, maxFiles: 2 })).to.deep.equal(['maxFileSize']);
      expect(places({ logFile: 'file', maxFiles: 2 })).to.deep.equal(['maxFiles']);
    }));
});

async function errorOf(action: () => Promise<unknown>): Promise<Error> {
  try {
    await action();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('nothing was thrown');
}
