import type { Role } from '@portolan/plugin-api';
import { requestSchemaOf } from '../openapi/request-schemas.ts';
import type { ParameterTable } from '../parameters/parameter.ts';
import { readParameters } from '../steps/read-parameters.ts';
import { NOTHING, type RouteParts } from './route-parts.ts';
import type { Route, RouteAnswer, Step } from '../request/route.ts';
import { readBody } from '../steps/read-body.ts';
import { requireRole } from '../steps/require-role.ts';

/** What one admin endpoint is, but for what all of them have in common. */
export interface AdminRoute {
  readonly method: Route['method'];
  readonly name: string;
  readonly event: string;
  readonly eventWhenCreated?: string;
  readonly eventWhenTried?: string;
  readonly summary: string;
  readonly answer: RouteAnswer;
  readonly answerWhenTried?: RouteAnswer;
  readonly query?: ParameterTable;
  /** Name of the schema of the body; left out: none is read. */
  readonly body?: Parameters<typeof requestSchemaOf>[0];
  readonly refusals?: readonly number[];
  /** Steps before all others: what the request is called, even where its sender may not. */
  readonly first?: readonly Step[];
  readonly steps: readonly Step[];
}

/** The answer of what only does something. */
export const NO_CONTENT: RouteAnswer = { description: 'It is done.', status: 204 };

/** How every admin request goes: the role, then parameters and body, then what is done, which looks at the claims. */
export function adminRoutes(
  { mostBodyBytes }: RouteParts,
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
          ...(body === undefined ? [] : [readBody(mostBodyBytes)]),
          ...steps,
        ],
      };
    });
}
