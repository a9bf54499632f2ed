import type { ParameterTable } from './parameters/parameter.ts';
import type { RequestContext } from './request-state.ts';

/** One thing done for a request. Throws to refuse it; the last step of a route answers. */
export type Step = (ctx: RequestContext) => void | Promise<void>;

/** JSON Schema (2020-12), as OpenAPI 3.1 takes it. */
export type JsonSchema = { readonly [key: string]: unknown };

/** What a route answers when all goes well. */
export interface RouteAnswer {
  readonly description: string;
  readonly contentType: string;
  /** Left out for text that has no schema. */
  readonly schema?: JsonSchema;
}

/** One endpoint, as data: what is documented, what is checked and what runs. HEAD comes with GET. */
export interface Route {
  readonly method: 'GET';
  /** OpenAPI's form: `/registry/{registryName}/v0.1/servers`. A trailing slash is accepted everywhere. */
  readonly path: string;
  /** Other paths that mean the same; not documented. */
  readonly aliases?: readonly string[];
  /** Unique; `operationId` in the API description. */
  readonly name: string;
  readonly summary: string;
  readonly tag: 'servers' | 'skills' | 'plugins' | 'registries' | 'operation' | 'callers';
  /** Answers without a token in every mode. */
  readonly open?: boolean;
  readonly pathParameters: ParameterTable;
  readonly query: ParameterTable;
  readonly answer: RouteAnswer;
  /** Statuses of refusals that are usual here. */
  readonly refusals: readonly number[];
  readonly steps: readonly Step[];
}

/** Runs the steps one after the other; one that answers at once costs no turn of the event loop. */
export async function runSteps(steps: readonly Step[], ctx: RequestContext): Promise<void> {
  for (const step of steps) {
    const running = step(ctx);
    if (running !== undefined) await running;
  }
}
