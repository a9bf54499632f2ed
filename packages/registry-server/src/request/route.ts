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

/** One thing done for a request, in a file of its name. Throws to refuse it; the last step of a route answers. */
export interface Step {
  /** Of the function that makes it; docs/reference/routes.md leads from it to its file. */
  readonly name: string;
  readonly run: (ctx: RequestContext) => void | Promise<void>;
  /** The action that it answers with, where that is no step itself. */
  readonly action: string | undefined;
}

/** A step of this name. All are made here, so that to the compiler of the engine all have one shape. */
export function step(name: string, run: Step['run'], action?: string): Step {
  return { name, run, action };
}

/** JSON Schema (2020-12), as OpenAPI 3.1 takes it. */
export type JsonSchema = { readonly [key: string]: unknown };

/** What a route answers when all goes well. */
export interface RouteAnswer {
  readonly description: string;
  /** Left out: 200. */
  readonly status?: 200 | 201 | 202 | 204;
  /** Left out where the answer has no content. */
  readonly contentType?: string;
  /** Left out for text that has no schema. */
  readonly schema?: JsonSchema;
}

/** One endpoint, as data: what is documented, what is checked and what runs. HEAD comes with GET. */
export interface Route {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH';
  /** OpenAPI's form: `/registry/{registryName}/v0.1/servers`. A trailing slash is accepted everywhere. */
  readonly path: string;
  /** Other paths that mean the same; not documented. */
  readonly aliases?: readonly string[];
  /** Unique; `operationId` in the API description. */
  readonly name: string;
  readonly summary: string;
  readonly tag: (typeof TAGS)[number];
  /** Answers without a token in every mode. */
  readonly open?: boolean;
  /**
   * Readable without a token while the registry of its path, or any registry, is
   * public; left out: never.
   */
  readonly publicWith?: 'its registry' | 'any registry';
  /** Who may; left out: the claims alone decide. */
  readonly role?: Role;
  /** What audit calls it. */
  readonly event: string;
  /** What audit calls it when the answer is 201. */
  readonly eventWhenCreated?: string;
  /** What audit calls it when it is only tried. */
  readonly eventWhenTried?: string;
  readonly pathParameters: ParameterTable;
  readonly query: ParameterTable;
  /** Schema of the JSON body; left out: none is read. */
  readonly body?: JsonSchema;
  readonly answer: RouteAnswer;
  /** What it answers, with another status, when it is only tried. */
  readonly answerWhenTried?: RouteAnswer;
  /** Statuses of refusals that are usual here. */
  readonly refusals: readonly number[];
  readonly steps: readonly Step[];
}

/**
 * Runs the steps one after the other; one that answers at once costs no turn of
 * the event loop. What they refuse on a catalog that is found to be outdated,
 * they are asked again on the newest one.
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
