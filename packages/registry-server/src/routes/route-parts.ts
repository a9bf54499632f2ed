import type { GuardedHooks, ServerConfig } from '@portolan/kernel';
import type { RegistryAdmin, RegistryReader } from '@portolan/registry';
import type { ReadinessProbe } from '../actions/operation.ts';
import type { PageCache } from '../responses/page-cache.ts';
import type { RecentEvents } from '../responses/recent-events.ts';
import type { ServerMetrics } from '../metrics/server-metrics.ts';
import { schemaOf } from '../openapi/response-schemas.ts';
import type { ParameterTable } from '../parameters/parameter.ts';
import type { Route } from '../request/route.ts';
import type { SourceMaking } from '../request/source-making.ts';
import type { VersionInfo } from '../request/version-info.ts';

export interface RouteParts {
  readonly reader: RegistryReader;
  readonly admin: RegistryAdmin;
  readonly sourceMaking: SourceMaking;
  readonly hooks: GuardedHooks;
  readonly config: Pick<ServerConfig, 'publicUrl' | 'compress' | 'cors' | 'adminApi'>;
  readonly version: VersionInfo;
  readonly readiness: ReadinessProbe;
  readonly pages: PageCache;
  readonly metrics: ServerMetrics;
  readonly recent: RecentEvents | undefined;
  readonly maxBodyBytes: number;
}

export const NOTHING: ParameterTable = {};

export function route(event: string, name: string, path: string, tag: Route['tag'], summary: string) {
  return {
    method: 'GET',
    event,
    name,
    path,
    tag,
    summary,
    pathParameters: NOTHING,
    query: NOTHING,
    refusals: [],
  } as const;
}

export function json(
  description: string,
  schema: Parameters<typeof schemaOf>[0],
  status: NonNullable<Route['response']['status']> = 200,
): Route['response'] {
  return { description, status, contentType: 'application/json', schema: schemaOf(schema) };
}
