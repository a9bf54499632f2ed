import Koa from 'koa';
import { proxyClosing } from './errors.ts';
import { type HealthReport, writeTime } from './health/health-report.ts';
import type { ProxyOptions } from './proxy-options.ts';
import type { Middleware, RequestState } from './request-state.ts';
import type { NamedStep, Service } from './service.ts';
import { answerOwnPaths } from './steps/answer-own-paths.ts';
import { checkHeaders } from './steps/check-headers.ts';
import { checkHost, isLoopback } from './steps/check-host.ts';
import { checkOrigin } from './steps/check-origin.ts';
import { reportErrors } from './steps/report-errors.ts';

export type ProxyApp = Koa<RequestState, object>;

/** The steps of every request, then those of what stands behind. */
export function createProxyApp(options: ProxyOptions, service: Service, isClosing: () => boolean): ProxyApp {
  const app: ProxyApp = new Koa<RequestState, object>();
  for (const { run } of [...outerSteps(options, service, isClosing), ...service.steps]) app.use(run);
  // Errors of requests were answered above; here are those of connections, such as a client that left.
  app.on('error', (error: unknown) => options.logger.debug({ err: error }, 'connection failed'));
  return app;
}

/** What is refused here is refused without a look at who asks. */
function outerSteps(options: ProxyOptions, service: Service, isClosing: () => boolean): readonly NamedStep[] {
  const { host = '127.0.0.1', resourceUrl, allowedOrigins = [], trustProxyHeaders = false } = options;
  const listensOnLoopback = isLoopback(host);
  return [
    { name: 'reportErrors', run: reportErrors(options.logger) },
    { name: 'answerOwnPaths', run: answerOwnPaths(() => reportHealth(options, service)) },
    { name: 'refuseWhenClosing', run: refuseWhenClosing(isClosing) },
    { name: 'checkHost', run: checkHost({ listensOnLoopback, resourceUrl }) },
    {
      name: 'checkOrigin',
      run: checkOrigin({ host, listensOnLoopback, allowedOrigins, resourceUrl, trustProxyHeaders }),
    },
    { name: 'checkHeaders', run: checkHeaders },
  ];
}

function refuseWhenClosing(isClosing: () => boolean): Middleware {
  return (_ctx, next) => {
    if (isClosing()) throw proxyClosing();
    return next();
  };
}

function reportHealth({ clock, transport, instance }: ProxyOptions, { health }: Service): HealthReport {
  const { state, mcp } = health;
  const report = { status: state, timestamp: writeTime(clock()), transport, instance };
  return mcp === undefined ? report : { ...report, mcp };
}
