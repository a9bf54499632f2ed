import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import {
  BatchedWork,
  type ProxyMiddleware,
  type ProxyMiddlewareContext,
  type ProxyMiddlewareKind,
} from '@portolan/plugin-api';
import { DEFAULT_DATA_SIZE, DEFAULT_FILES } from '../audit-config.ts';
import { formatLostLine } from '../audit-line.ts';
import { checkAudit, checkRotation } from '../check-audit.ts';
import { rotationInvalid, unrecorded } from '../errors.ts';
import { openFileSink } from '../file-sink.ts';
import type { LineSink } from '../line-sink.ts';
import { LineWriter } from '../line-writer.ts';
import { openStandardOutput } from '../standard-output-sink.ts';
import { CallLog } from './call-log.ts';
import { formatDriftLine } from './drift-line.ts';
import { type ProxyAuditConfig, proxyAuditConfig } from './proxy-audit-config.ts';
import { selectProxyEvents } from './proxy-events.ts';
import { type CallRecord, formatProxyLine } from './proxy-line.ts';

/** Proxy middleware kind `audit`: writes one line per client message, and per request without messages. */
export const proxyAudit: ProxyMiddlewareKind<typeof proxyAuditConfig> = {
  kind: 'audit',
  placed: 'observe',
  config: proxyAuditConfig,
  check: (config, context) => checkAudit({ ...fileOf(config), enabled: true }, context),
  create: openAudit,
};

async function openAudit(
  config: ProxyAuditConfig,
  context: ProxyMiddlewareContext,
): Promise<ProxyMiddleware> {
  const { logger, clock, nowMs, workload, remark } = context;
  const sink = await openSink(config, context);
  const component = config.component ?? workload.name;
  const options = {
    ...config,
    component,
    backend: workload.server,
    maxDataSize: config.maxDataSize === 0 ? DEFAULT_DATA_SIZE : config.maxDataSize,
    trustsProxyHeaders: workload.trustsProxyHeaders,
    clock,
  };
  const ended = new BatchedWork((error) => logger.error({ error }, 'a call cannot be recorded'));
  const finishAtExit = (): void => ended.finish();
  // Registered before the writer's own handler, which writes the resulting lines.
  process.on('exit', finishAtExit);
  const writer = new LineWriter({
    sink,
    logger,
    clock,
    troubled: (isTroubled) => remark(isTroubled ? troubleOf(sink, config) : ''),
    formatLost: (lost) => formatLostLine(lost, randomUUID(), component),
    ...(config.failClosed ? {} : { gatherMs: 0 }),
  });
  const write = (record: CallRecord): void => {
    try {
      writer.write(formatProxyLine(record, options));
    } catch (error) {
      writer.lose();
      logger.error({ type: record.type, error }, 'an audit log line cannot be formatted');
    }
  };
  const hearsAnswers = config.detectApplicationErrors || config.includeResponseData;
  const keepsAnswers = config.includeResponseData;
  const isSelected = selectProxyEvents(config);
  const tellsBeginnings = config.failClosed;
  const log = new CallLog({ clock, nowMs, isSelected, hearsAnswers, keepsAnswers, tellsBeginnings, write });
  const requireKept = async (callRecord: CallRecord | undefined): Promise<void> => {
    if (callRecord !== undefined && !(await writer.accept(formatProxyLine(callRecord, options))))
      throw unrecorded();
  };
  // With lines about starts, whose order matters, each line is written immediately.
  const later = (work: (at: Date) => void): void => {
    const at = clock();
    if (config.failClosed) work(at);
    else ended.add(() => work(at));
  };
  return {
    onMessage: (message, exchange) => {
      const callRecord = log.said(message, exchange);
      return config.failClosed ? requireKept(callRecord) : undefined;
    },
    ...(hearsAnswers ? { onResponse: (message, exchange) => log.answered(message, exchange) } : {}),
    ...(config.failClosed
      ? {
          onRequest: async (request) => {
            if (request.method !== 'POST') await requireKept(log.came(request));
          },
        }
      : {}),
    onResponseHead: (begin, request) => {
      if (begin.isStream) later((at) => log.began(begin, request, at));
    },
    onDrift: (event) => {
      if (!isSelected(event.type)) return;
      const at = clock();
      writer.write(formatDriftLine(event, { id: randomUUID(), at, component, backend: workload.server }));
    },
    onEnd: (end, request) => later((at) => log.ended(end, request, at)),
    close: async () => {
      ended.finish();
      process.off('exit', finishAtExit);
      log.close();
      await writer.close();
    },
  };
}

function troubleOf({ name }: LineSink, { failClosed }: ProxyAuditConfig): string {
  const then = failClosed
    ? 'no call is served until it can be'
    : 'lines wait in memory, and are lost beyond 16 MiB';
  return `the record of calls (${name}) cannot be written; ${then}.`;
}

async function openSink(
  config: ProxyAuditConfig,
  { directory, logger }: ProxyMiddlewareContext,
): Promise<LineSink> {
  const { logFile, maxFileSize, maxFiles = DEFAULT_FILES } = fileOf(config);
  const [problem] = checkRotation(fileOf(config));
  if (problem !== undefined) throw rotationInvalid(problem);
  if (logFile === undefined) return openStandardOutput(process.stdout);
  return await openFileSink(resolve(directory, logFile), {
    maxFileSize,
    maxFiles,
    followsName: true,
    logger,
  });
}

function fileOf({ logFile, maxFileSize, maxFiles }: ProxyAuditConfig) {
  return {
    maxFileSize,
    ...(logFile === undefined ? {} : { logFile }),
    ...(maxFiles === undefined ? {} : { maxFiles }),
  };
}
