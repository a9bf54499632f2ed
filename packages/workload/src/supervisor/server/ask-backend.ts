import type { HttpBackend } from '@portolan/plugin-api';
import type { Supervision } from '../supervision.ts';

/** Checks whether a server that speaks HTTP responds to its first request, without a proxy. */
export async function askBackend(
  { target, endpoint, transport, agent, forwardHeaders = [] }: HttpBackend,
  { context }: Supervision,
  signal: AbortSignal,
): ReturnType<NonNullable<Supervision['ask']>> {
  const { askServer } = await import('@portolan/mcp-client');
  const { joinAddress } = await import('@portolan/plugin-api');
  return await askServer({
    url: joinAddress(target, endpoint ?? (transport === 'sse' ? '/sse' : '/mcp')),
    speaks: transport,
    endpointPrefix: '',
    version: context.version,
    headers: Object.fromEntries(forwardHeaders.map(({ name, value }) => [name, value])),
    ...(agent === undefined ? {} : { agent }),
    signal,
  });
}
