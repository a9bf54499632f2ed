import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createRunConfig, NO_USER_SETTINGS, type RunConfig } from '@portolan/run-spec';
import { expect } from 'chai';
import { caught } from '../../../../test/support/caught.ts';
import { serverDocument } from '../../../../test/support/scripted-registry.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { checkFileTools } from '../../src/run/steps/check/check-file-tools.ts';
import { testWorkloadContext } from '../support/test-workload-context.ts';

const folders = new TemporaryFolders();
const { signal } = new AbortController();
const NAME = 'dev.acme/web';

describe('checkFileTools (--from-config)', () => {
  afterEach(() => folders.removeAll());

  /**
   * Checks a config with a registry whose server lists these tools. Without `tools`, there is no registry.
   */
  async function check(config: Partial<RunConfig>, tools?: readonly string[]): Promise<readonly string[]> {
    const folder = await folders.make();
    const file = path.join(folder, 'catalogue.json');
    const image = 'ghcr.io/acme/web:1.0.0';
    const extension = { 'io.github.stacklok': { [image]: { tools } } };
    const meta = { 'io.modelcontextprotocol.registry/publisher-provided': extension };
    await writeFile(file, JSON.stringify({ data: { servers: [serverDocument(NAME, { ['_meta']: meta })] } }));
    const user = { ...NO_USER_SETTINGS, ...(tools === undefined ? {} : { localRegistryPath: file }) };
    return await checkFileTools(
      createRunConfig({ name: 'web', registry_server_name: NAME, ...config }),
      { ...testWorkloadContext(folder), user },
      signal,
    );
  }
  const renamed = { tools_override: { fetch_url: { name: 'get' } } };

  it('compares tools with those of the registry entry, under the names that clients see', async () => {
    expect(
      await check({ tools_filter: ['get', 'search'], ...renamed }, ['fetch_url', 'search']),
    ).to.deep.equal([]);
    for (const [config, place] of [
      [{ tools_filter: ['fetch_url'], ...renamed }, 'tools_filter: found "fetch_url"'],
      [{ tools_filter: ['nothing'] }, 'tools_filter: found "nothing"'],
      [{ tools_override: { nothing: { name: 'x' } } }, 'tools_override: found "nothing"'],
    ] as const) {
      const error = await caught(() => check(config, ['fetch_url', 'search']));
      expect(error).to.have.property('code', 'ERR_TOOL_UNKNOWN');
      expect(error).to.have.property('message').that.includes(place);
    }
  });

  it('accepts files without tools, and servers that no registry has', async () => {
    expect(await check({}, ['search'])).to.deep.equal([]);
    expect(await check({ tools_filter: ['nothing'] })).to.deep.equal([]);
    expect(await check({ tools_filter: ['nothing'], registry_server_name: '' }, ['search'])).to.deep.equal(
      [],
    );
    expect(
      await check({ tools_filter: ['nothing'], registry_server_name: 'dev.acme/other' }, ['search']),
    ).to.deep.equal([]);
  });

  it('warns that tools are not compared when the registry is unavailable', async () => {
    const folder = await folders.make();
    const user = { ...NO_USER_SETTINGS, localRegistryPath: path.join(folder, 'gone.json') };
    const told = await checkFileTools(
      createRunConfig({ name: 'web', registry_server_name: NAME, tools_filter: ['x'] }),
      { ...testWorkloadContext(folder), user },
      signal,
    );
    expect(told).to.have.lengthOf(1);
    expect(told[0]).to.include('not checked').and.to.include(NAME);
  });
});
