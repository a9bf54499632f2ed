import type { Tracer } from '@portolan/plugin-api';
import type { Middleware } from '../request/request-state.ts';
import { type Route, step, type Step } from '../request/route.ts';

/** Returns the routes with each step as a span below the request's. */
export function tracedRoutes(routes: readonly Route[], tracer: Tracer): readonly Route[] {
  return routes.map((route) => ({ ...route, steps: route.steps.map((one) => tracedStep(one, tracer)) }));
}

function tracedStep({ name, run, action }: Step, tracer: Tracer): Step {
  const called = { name: action ?? name };
  return step(
    name,
    (ctx) => (ctx.state.span?.ids === undefined ? run(ctx) : tracer.trace(called, () => run(ctx))),
    action,
  );
}

/** Ends the span when the step calls the next one, so steps follow each other in a trace. */
export function tracedOuterStep(name: string, run: Middleware, tracer: Tracer): Middleware {
  const called = { name };
  return (ctx, next) => {
    const { span: request } = ctx.state;
    if (request?.ids === undefined) return run(ctx, next);
    return tracer.trace(called, (span) =>
      run(ctx, () => {
        span.end();
        return request.run(next);
      }),
    );
  };
}
