import { inlineSource, serverDocument } from '../../../support/registry-under-test.ts';

/**
 * Uses a server without logins so that each kind of statement occurs, and returns the status of each request.
 * `main` contains the managed source `published`. No entry has the given name before or afterwards.
 */
export async function useServer(url: string, name: string): Promise<readonly string[]> {
  const answers: string[] = [];
  const ask = async (method: string, target: string, body?: unknown): Promise<void> => {
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-cache' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const { status } = await fetch(`${url}${target}`, { method, headers, ...sent });
    answers.push(`${method} ${target.replace(encodeURIComponent(name), 'NAME')} ${status}`);
  };
  const entry = `/v1/entries/server/${encodeURIComponent(name)}`;
  const shown = '/registry/main/v0.1/servers';
  const server = `${shown}/${encodeURIComponent(name)}/versions`;
  const remotes = [{ type: 'streamable-http', url: `https://${name.replaceAll(/\W/g, '-')}.example/mcp` }];
  const { name: made, ...source } = inlineSource('made', { org: name }, [serverDocument('dev.acme/made')]);
  await ask('POST', '/v1/entries', { server: serverDocument(name, '1.0.0', { remotes }) });
  await ask('POST', '/v1/entries', { server: serverDocument(name, '2.0.0', { remotes }) });
  await ask('PATCH', `${entry}/status`, { status: 'deprecated' });
  await ask('PATCH', `${entry}/versions/2.0.0/status`, { status: 'active' });
  await ask('PUT', `${entry}/claims`, { claims: { org: name } });
  for (const target of [entry, `${entry}/claims`, server, `${server}/latest`, `${server}/1.0.0`])
    await ask('GET', target);
  for (const query of [
    '',
    '?version=latest',
    '?search=acme',
    '?limit=1',
    '?updated_since=2026-01-01T00:00:00Z',
  ])
    await ask('GET', `${shown}${query}`);
  for (const claims of [{ org: name }, {}]) {
    await ask('PUT', '/v1/sources/made', { ...source, claims });
    await ask('PUT', '/v1/registries/made', { sources: [made], claims });
  }
  for (const target of [
    'sources',
    'sources/made',
    'sources/published/entries',
    'registries',
    'registries/made',
    'registries/main/entries',
  ])
    await ask('GET', `/v1/${target}`);
  await ask('DELETE', '/v1/registries/made');
  await ask('DELETE', '/v1/sources/made');
  for (const version of ['1.0.0', '2.0.0']) await ask('DELETE', `${entry}/versions/${version}`);
  await ask('GET', '/readiness');
  return answers;
}
