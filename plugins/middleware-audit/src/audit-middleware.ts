import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { AccessRecord, MiddlewareKind, PlacedMiddleware, PluginContext } from '@portolan/plugin-api';
import { type AuditConfig, auditConfig, DEFAULT_DATA_SIZE, DEFAULT_FILES } from './audit-config.ts';
import { eventTypeOf, selectEvents } from './audit-events.ts';
import { formatAuditLine, formatLostLine } from './audit-line.ts';
import { checkAudit, checkRotation } from './check-audit.ts';
import { rotationInvalid } from './errors.ts';
import { openFileSink } from './file-sink.ts';
import type { LineSink } from './line-sink.ts';
import { LineWriter } from './line-writer.ts';
import { openStandardOutput } from './standard-output-sink.ts';

/**
 * Middleware kind `audit`. The hook `accessDecided` writes the lines; the middleware itself only passes
 * requests on.
 */
export const auditMiddleware: MiddlewareKind<typeof auditConfig> = {
  kind: 'audit',
  hosts: ['registry-server'],
  placed: { before: 'recordAccess' },
  config: auditConfig,
  check: checkAudit,
  create: createAudit,
};

async function createAudit(config: AuditConfig, context: PluginContext): Promise<PlacedMiddleware> {
  const passOn: PlacedMiddleware = (_ctx, next) => next();
  if (!config.enabled) return passOn;
  const { logger, clock, hooks } = context;
  const sink = await openSink(config, context);
  const formatLost = (lost: Parameters<typeof formatLostLine>[0]) => formatLostLine(lost, randomUUID());
  const writer = new LineWriter({ sink, logger, clock, formatLost });
  hooks.accessDecided.tap({ name: 'audit' }, createRecorder(config, writer, logger));
  return Object.assign(passOn, { reopen: () => writer.reopen(), close: () => writer.close() });
}

async function openSink(config: AuditConfig, { directory, logger }: PluginContext): Promise<LineSink> {
  const { logFile, maxFileSize, maxFiles } = config;
  const [problem] = checkRotation(config);
  if (problem !== undefined) throw rotationInvalid(problem);
  if (logFile === undefined) return openStandardOutput(process.stdout);
  const file = resolve(directory, logFile);
  return await openFileSink(file, { maxFileSize, maxFiles: maxFiles ?? DEFAULT_FILES, logger });
}

/** Returns the function that records an event. A record that cannot be formatted counts as a lost line. */
function createRecorder(
  config: AuditConfig,
  writer: LineWriter,
  logger: PluginContext['logger'],
): (record: AccessRecord) => void {
  const isSelected = selectEvents(config);
  const options = {
    ...config,
    maxDataSize: config.maxDataSize === 0 ? DEFAULT_DATA_SIZE : config.maxDataSize,
  };
  return (record) => {
    const type = eventTypeOf(record);
    if (!isSelected(type)) return;
    try {
      writer.write(formatAuditLine({ record, type, id: randomUUID() }, options));
    } catch (error) {
      writer.lose();
      logger.error({ type, error }, 'an audit log line cannot be formatted');
    }
  };
}
