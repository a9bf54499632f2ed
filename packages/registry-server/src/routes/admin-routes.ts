import type { Role } from '@portolan/plugin-api';
import { requestSchemaOf } from '../openapi/request-schemas.ts';
import type { ParameterTable } from '../parameters/parameter.ts';
import { readParameters } from '../steps/read-parameters.ts';
import { NOTHING, type RouteParts } from './route-parts.ts';
import type { Route, RouteResponse, Step } from '../request/route.ts';
import { readBody } from '../steps/body/read-body.ts';
import { requireRole } from '../steps/access/require-role.ts';

/** Definition of an admin endpoint, without what all of them share. */
export interface AdminRoute {
  readonly method: Route['method'];
  readonly name: string;
  readonly event: string;
  readonly eventWhenCreated?: string;
  readonly eventWhenTried?: string;
  readonly summary: string;
  readonly response: RouteResponse;
  readonly answerWhenTried?: RouteResponse;
  readonly query?: ParameterTable;
  /** Name of the body's schema. Default: no body. */
  readonly body?: Parameters<typeof requestSchemaOf>[0];
  readonly refusals?: readonly number[];
  /**
   * Steps that run before all others. They set what the log says about the request, even if the caller may
   * not send it.
   */
  readonly first?: readonly Step[];
  readonly steps: readonly Step[];
}

export const NO_CONTENT: RouteResponse = { description: 'Done.', status: 204 };

/**
 * Creates the routes of the admin API. Each route checks the role, parses parameters and body, and runs the
 * action, which checks claims.
 */
export function adminRoutes(
  { maxBodyBytes }: RouteParts,
  role: Role,
  tag: Route['tag'],
  path: string,
  pathParameters: ParameterTable = NOTHING,
): (...definitions: readonly AdminRoute[]) => readonly Route[] {
  return (...definitions) =>
    definitions.map((definition) => {
      const { query = NOTHING, body, refusals = [], first = [], steps, ...rest } = definition;
      return {
        ...rest,
        tag,
        path,
        role,
        pathParameters,
        query,
        ...(body === undefined ? {} : { body: requestSchemaOf(body) }),
        refusals: [400, 401, 403, ...refusals, ...(body === undefined ? [] : [413, 415]), 503, 504],
        steps: [
          ...first,
          requireRole(role),
          readParameters(pathParameters, query),
          ...(body === undefined ? [] : [readBody(maxBodyBytes)]),
          ...steps,
        ],
      };
    });
}
