import { explainToCaller } from '../actions/explain-access.ts';
import { showCaller } from '../actions/show-caller.ts';
import { validateEntry } from '../actions/validate-entry.ts';
import { requestSchemaOf } from '../openapi/request-schemas.ts';
import { json, route, type RouteParts } from './route-parts.ts';
import type { Route } from '../request/route.ts';
import { readBody } from '../steps/body/read-body.ts';

export function callerRoutes({ reader, admin, hooks, maxBodyBytes }: RouteParts): readonly Route[] {
  return [
    {
      ...route('user.info', 'showCaller', '/v1/me', 'callers', 'Who the sender is.'),
      response: json('Subject, roles and registries.', 'Caller'),
      refusals: [401],
      steps: [showCaller(reader)],
    },
    {
      ...route(
        'entry.validate',
        'validateEntry',
        '/v1/validate',
        'entries',
        'What publishing a document would find wrong with it. Writes nothing.',
      ),
      method: 'POST',
      body: requestSchemaOf('Document'),
      response: json('Every problem; 200 whatever there is.', 'ValidationResult'),
      refusals: [400, 401, 413, 415],
      steps: [validateEntry(admin, maxBodyBytes)],
    },
    {
      ...route(
        'authz.explain',
        'explainAccess',
        '/v1/authz/explain',
        'callers',
        'Why the caller, or for a superAdmin anybody, may or may not read something.',
      ),
      method: 'POST',
      body: requestSchemaOf('AccessQuestion'),
      response: json('Roles, rules, and every claim: required, held, result.', 'AccessExplanation'),
      refusals: [400, 401, 403, 404, 413, 415],
      steps: [readBody(maxBodyBytes), explainToCaller(reader, hooks)],
    },
  ];
}
