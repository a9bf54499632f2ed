import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { classifyRegistry, type ClassifiedRegistry } from '../../src/lookup/classify-registry.ts';
import { caught } from '../../../../test/support/caught.ts';
import { lookupContext } from '../support/lookup-context.ts';
import {
  type Answer,
  apiWith,
  type ScriptedRegistry,
  sendJson,
  serverDocument,
  startScriptedRegistry,
} from '../../../../test/support/scripted-registry.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';

const CATALOGUE = { version: '1.0.0', data: { servers: [serverDocument('dev.acme/notes')] } };

describe('classifyRegistry', () => {
  const folders = new TemporaryFolders();
  let folder = '';
  let registry: ScriptedRegistry | undefined;

  beforeEach(async () => {
    folder = await folders.make();
  });
  afterEach(async () => {
    await registry?.close();
    registry = undefined;
    await folders.removeAll();
  });

  async function at(text: string, answer?: Answer): Promise<ClassifiedRegistry> {
    registry = answer === undefined ? registry : await startScriptedRegistry(answer);
    const named = text.replace('REGISTRY', registry?.url ?? '');
    return await classifyRegistry(named, { allowPrivate: true, allowHttp: true }, lookupContext(folder));
  }

  it('treats text that is not a URL as a file, and returns its absolute path', async () => {
    const file = path.join(folder, 'catalogue.json');
    await writeFile(file, JSON.stringify(CATALOGUE));
    for (const text of ['catalogue.json', './catalogue.json', file, pathToFileURL(file).href]) {
      expect(await at(text), text).to.deep.equal({ kind: 'file', value: file });
    }
  });

  it('accepts a legacy file', async () => {
    const legacy = { servers: { fetch: { image: 'ghcr.io/acme/fetch:1' } } };
    await writeFile(path.join(folder, 'legacy.json'), JSON.stringify(legacy));
    expect(await at('legacy.json')).to.include({ kind: 'file' });
  });

  it('rejects a missing file and a file that is not a catalogue', async () => {
    await writeFile(path.join(folder, 'other.json'), '{"hello":1}');
    for (const text of ['gone.json', 'other.json', '.']) {
      expect(await caught(() => at(text)), text).to.include({ code: 'ERR_NAMED_FILE' });
    }
  });

  it('treats a URL that ends in .json as a catalogue without a request', async () => {
    const found = await at('REGISTRY/catalogue.JSON?v=1', apiWith([]));
    expect(found).to.deep.equal({ kind: 'url', value: `${registry?.url}/catalogue.JSON?v=1` });
    expect(registry?.requests).to.deep.equal([]);
  });

  for (const [title, end] of [
    ['its base', '/registry/main'],
    ['its base with a slash', '/registry/main/'],
    ['its version', '/registry/main/v0.1'],
    ['its list', '/registry/main/v0.1/servers'],
  ] as const) {
    it(`detects an API by ${title}`, async () => {
      const found = await at(`REGISTRY${end}`, apiWith([], '/registry/main'));
      expect(found).to.deep.equal({ kind: 'api', value: `${registry?.url}/registry/main` });
    });
  }

  for (const status of [401, 403]) {
    it(`treats a ${status} response as an API`, async () => {
      const found = await at('REGISTRY', (_path, response) => void response.writeHead(status).end());
      expect(found).to.include({ kind: 'api' });
    });
  }

  it('treats any other URL as a catalogue', async () => {
    const answer: Answer = ({ pathname }, response) => {
      if (pathname === '/catalogue') sendJson(response, CATALOGUE);
      else response.writeHead(404).end();
    };
    expect(await at('REGISTRY/catalogue', answer)).to.deep.equal({
      kind: 'url',
      value: `${registry?.url}/catalogue`,
    });
  });

  for (const [title, answer] of [
    ['HTML', (_path, response) => void response.end('<html>')],
    ['JSON of something else', (_path, response) => sendJson(response, { servers: [] })],
    ['errors', (_path, response) => void response.writeHead(500).end()],
  ] as const satisfies readonly (readonly [string, Answer])[]) {
    it(`rejects a response with ${title}`, async () => {
      expect(await caught(() => at('REGISTRY/x', answer))).to.include({ code: 'ERR_LOOKUP_ADDRESS' });
    });
  }

  it('N13 › suggests the registries of a server', async () => {
    const server: Answer = ({ pathname }, response) => {
      if (pathname !== '/registry') return sendJson(response, { error: 'Nothing is here.' }, 404);
      const registries = [
        { name: 'main', url: 'https://elsewhere.example/' },
        { name: 'trial' },
        { name: '`x`' },
      ];
      sendJson(response, { registries });
    };
    const error = await caught(() => at('REGISTRY', server));
    expect(error).to.have.property('code', 'ERR_LOOKUP_ADDRESS');
    const url = registry?.url ?? '';
    expect(error.hint).to.equal(
      `It is a server with registries. Name one of them: \`portolan config set-registry ${url}/registry/main\`, \`portolan config set-registry ${url}/registry/trial\`.`,
    );
  });

  it('throws for an unreachable address', async () => {
    const gone = await startScriptedRegistry(apiWith([]));
    await gone.close();
    expect(await caught(() => at(gone.url))).to.include({ code: 'ERR_REGISTRY_UNREACHABLE' });
  });

  it('requires https and public addresses unless others are permitted', async () => {
    const classify = (text: string): Promise<ClassifiedRegistry> =>
      classifyRegistry(text, { allowPrivate: false, allowHttp: false }, lookupContext(folder));
    for (const text of [
      'http://registry.acme.example',
      'http://registry.acme.example/a.json',
      'ftp://acme.example',
    ]) {
      expect(await caught(() => classify(text)), text).to.include({ code: 'ERR_LOOKUP_ADDRESS' });
    }
    expect(await caught(() => classify('https://127.0.0.1:8443'))).to.include({
      code: 'ERR_LOOKUP_PRIVATE_ADDRESS',
    });
  });

  it('names the flag that permits a rejected address', async () => {
    const hintFor = async (text: string, allowHttp: boolean): Promise<string | undefined> => {
      const rules = { allowPrivate: false, allowHttp };
      return (await caught(() => classifyRegistry(text, rules, lookupContext(folder)))).hint;
    };
    expect(await hintFor('http://registry.acme.example', false)).to.contain('--allow-http');
    expect(await hintFor('http://1.1.1.1/a', false)).to.contain('--allow-http');
    for (const host of ['127.0.0.1', 'localhost', '10.1.2.3', '[fd00::1]'])
      expect(await hintFor(`http://${host}:8443/a`, false), host).to.contain('--allow-private-ip');
    expect(await hintFor('http://127.0.0.1:8443/a', true)).to.contain('--allow-private-ip');
  });

  it('permission for http › does not permit private addresses', async () => {
    const error = await caught(() =>
      classifyRegistry(
        'http://127.0.0.1:8443/a',
        { allowPrivate: false, allowHttp: true },
        lookupContext(folder),
      ),
    );
    expect(error).to.include({ code: 'ERR_LOOKUP_PRIVATE_ADDRESS' });
  });
});
