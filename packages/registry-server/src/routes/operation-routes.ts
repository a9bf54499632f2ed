import {
  showHealth,
  showMetrics,
  showReadiness,
  showResourceMetadata,
  showVersion,
} from '../actions/operation.ts';
import { json, route, type RouteParts } from './route-parts.ts';
import type { Route } from '../request/route.ts';

/** Routes for health, readiness and version. They need no token in any mode. */
export function operationRoutes({ readiness, version }: RouteParts): readonly Route[] {
  return [
    {
      ...route('operation', 'showHealth', '/health', 'operation', 'Check that the process responds.'),
      open: true,
      response: json('The process responds.', 'Health'),
      steps: [showHealth()],
    },
    {
      ...route(
        'operation',
        'showReadiness',
        '/readiness',
        'operation',
        'Check that the server can serve requests.',
      ),
      open: true,
      response: json('The server can serve requests.', 'Readiness'),
      refusals: [503],
      steps: [showReadiness(readiness)],
    },
    {
      ...route('operation', 'showVersion', '/version', 'operation', 'Show the running build.'),
      open: true,
      response: json('The build.', 'Version'),
      steps: [showVersion(version)],
    },
  ];
}

/** Route of the OAuth metadata. The path of the resource may follow its address. */
export function metadataRoute({ config }: RouteParts): Route {
  const path = '/.well-known/oauth-protected-resource';
  return {
    ...route(
      'operation',
      'showResourceMetadata',
      path,
      'operation',
      'Show how to get a token (RFC 9728); 404 when none is needed.',
    ),
    aliases: [`${path}/{first}`, `${path}/{first}/{second}`],
    open: true,
    response: { description: 'OAuth protected resource metadata.', contentType: 'application/json' },
    refusals: [404],
    steps: [showResourceMetadata(config.publicUrl)],
  };
}

/** Route of metrics, on the internal listener only. */
export function metricsRoute({ metrics }: RouteParts): Route {
  return {
    ...route('operation', 'showMetrics', '/metrics', 'operation', 'Show metrics.'),
    open: true,
    response: { description: 'Prometheus text format.', contentType: 'text/plain' },
    refusals: [404, 503],
    steps: [showMetrics(metrics)],
  };
}
