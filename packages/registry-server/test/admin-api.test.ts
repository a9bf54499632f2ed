import { expect } from 'chai';
import { json } from './support/responses.ts';
import { startServer } from './support/start-server.ts';

describe('server.adminApi: false', () => {
  it('leaves only the consumer API and the operational paths', async () => {
    const server = await startServer({ config: { adminApi: false } });
    const statuses = async (method: string, paths: readonly string[]) =>
      await Promise.all(paths.map(async (path) => (await server.get(path, { method })).status));
    const served = ['/', '/registry', '/registry/main/v0.1/servers', '/openapi.json', '/health', '/version'];
    expect(await statuses('GET', served)).to.deep.equal(served.map(() => 200));
    const removed = ['/v1/sources', '/v1/registries', '/v1/entries', '/v1/me', '/v1/audit/events'];
    expect(await statuses('GET', removed)).to.deep.equal(removed.map(() => 404));
    expect(await statuses('POST', ['/v1/entries', '/v1/sources/a/sync', '/v1/validate'])).to.deep.equal([
      404, 404, 404,
    ]);
    expect(await statuses('PUT', ['/v1/sources/a', '/v1/registries/a'])).to.deep.equal([404, 404]);
    await server.close();
  });

  it('removes the other endpoints from the OpenAPI document', async () => {
    const server = await startServer({ config: { adminApi: false } });
    const { paths } = await json<{ paths: object }>(server.get('/openapi.json'));
    expect(Object.keys(paths).filter((path) => path.startsWith('/v1'))).to.deep.equal([]);
    await server.close();
  });
});

describe('startRegistryServer', () => {
  it('returns the address that it listens on', async () => {
    const server = await startServer({ config: { address: '0.0.0.0:0', internalAddress: '127.0.0.1:0' } });
    const port = (url = '') => new URL(url).port;
    expect(server.bound).to.include({ address: `0.0.0.0:${port(server.publicUrl)}`, isLoopback: false });
    expect(server.internalAddress).to.equal(`127.0.0.1:${port(server.internalUrl)}`);
    await server.close();
  });
});
