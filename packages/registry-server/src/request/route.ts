import type { Role } from '@portolan/plugin-api';
import { CatalogOutdated } from '@portolan/registry';
import type { ParameterTable } from '../parameters/parameter.ts';
import type { RequestContext } from './request-state.ts';

export const TAGS = [
  'servers',
  'skills',
  'plugins',
  'registries',
  'sources',
  'entries',
  'callers',
  'audit',
  'operation',
] as const;

/** Handles a request. Throws to refuse the request. The last step of a route sends the response. */
export interface Step {
  /** Name of the function that creates the step. docs/reference/routes.md maps it to a file. */
  readonly name: string;
  readonly run: (ctx: RequestContext) => void | Promise<void>;
  /** Name of the function that sends the response, if that is not the step itself. */
  readonly action: string | undefined;
}

/** Creates a step. All steps are created here, so that V8 sees one object shape. */
export function step(name: string, run: Step['run'], action?: string): Step {
  return { name, run, action };
}

/** JSON Schema 2020-12, as in OpenAPI 3.1. */
export type JsonSchema = { readonly [key: string]: unknown };

export interface RouteResponse {
  readonly description: string;
  readonly status?: 200 | 201 | 202 | 204;
  /** Undefined for a response without content. */
  readonly contentType?: string;
  /** Undefined for text without a schema. */
  readonly schema?: JsonSchema;
}

/** An endpoint: how it is documented, validated and run. GET includes HEAD. */
export interface Route {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH';
  /** OpenAPI form: `/registry/{registryName}/v0.1/servers`. A trailing slash is always accepted. */
  readonly path: string;
  /** Further paths with the same meaning, which are not documented. */
  readonly aliases?: readonly string[];
  /** Unique `operationId` in the API description. */
  readonly name: string;
  readonly summary: string;
  readonly tag: (typeof TAGS)[number];
  readonly open?: boolean;
  /** Which public registry makes the route readable without a token: the one in its path, or any. */
  readonly publicWith?: 'its registry' | 'any registry';
  /** Required role. Default: claims alone decide. */
  readonly role?: Role;
  readonly event: string;
  /** Event name in the audit log for status 201. */
  readonly eventWhenCreated?: string;
  /** Event name in the audit log for a dry run. */
  readonly eventWhenTried?: string;
  readonly pathParameters: ParameterTable;
  readonly query: ParameterTable;
  readonly body?: JsonSchema;
  readonly response: RouteResponse;
  readonly answerWhenTried?: RouteResponse;
  readonly refusals: readonly number[];
  readonly steps: readonly Step[];
}

/**
 * Runs the steps of a route. A synchronous step costs no event loop turn. When steps refuse a request based
 * on an outdated catalog, they run again with the current one.
 */
export async function runSteps(steps: readonly Step[], ctx: RequestContext): Promise<void> {
  try {
    await runInTurn(steps, ctx);
  } catch (error) {
    const { confirmCatalog } = ctx.state;
    const isConfirmed = confirmCatalog === undefined || (await confirmCatalog(ctx.state));
    if (isConfirmed && !(error instanceof CatalogOutdated)) throw error;
    await runInTurn(steps, ctx);
  }
}

async function runInTurn(steps: readonly Step[], ctx: RequestContext): Promise<void> {
  for (const { run } of steps) {
    const running = run(ctx);
    if (running !== undefined) await running;
  }
}
